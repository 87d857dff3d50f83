/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done to an object besides loading it, a line each, hexadecimal digits for bytes:
 *
 *     max MAP ENTRIES
 *     set SECTION OFFSET BYTES
 *     fill MAP KEY VALUE       a per-CPU map takes the value on each CPU
 *     call MAP INDEX PROGRAM
 *     follow MAP KEY PROGRAM   behind its fill: packets that are redirected there come to it
 *     nest MAP KEY MAP
 *
 * and the lines of common/frames.h.
 */
#ifndef LINERATE_OBJECT_PLAN_H
#define LINERATE_OBJECT_PLAN_H

struct bpf_object;
struct bpf_program;

/* Each reads the whole file and does its part; 0 or -errno with the reason on stderr. */
int plan_before_load(const char *path, struct bpf_object *object, const struct bpf_program *entry);
int plan_after_load(const char *path, struct bpf_object *object);

#endif
