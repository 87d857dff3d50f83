/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_OBJECT_TEST_H
#define LINERATE_OBJECT_TEST_H

struct bpf_program;
struct object_options;

/* Run the loaded program on the plan's frames and print JSON lines; 0 or -errno. */
int test_program(const struct bpf_program *program, const struct object_options *options);

#endif
