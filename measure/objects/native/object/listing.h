/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINERATE_OBJECT_LISTING_H
#define LINERATE_OBJECT_LISTING_H

struct bpf_object;

/* Print what an opened object holds, as one JSON line: its programs and its maps. */
void listing_print(struct bpf_object *object);

#endif
