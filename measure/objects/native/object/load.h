/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_OBJECT_LOAD_H
#define LINERATE_OBJECT_LOAD_H

struct bpf_object;
struct bpf_program;
struct object_options;

/* Open an object; NULL with the reason on stderr and errno. */
struct bpf_object *load_open(const char *path);
/* The program that is asked for, set to the hook's type; NULL with the reason on stderr. */
struct bpf_program *load_choose(struct bpf_object *object, const struct object_options *options);
/*
 * Set what the plan says, load the program and those it may call, pin nothing, fill its maps; 0 or
 * -errno with the reason on stderr, of which the verifier's is the last it said.
 */
int load_program(struct bpf_object *object, struct bpf_program *entry,
		 const struct object_options *options);

#endif
