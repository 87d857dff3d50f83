/* SPDX-License-Identifier: Apache-2.0 */
/* How a type of BTF lies in memory: each member by name, place and width. */
#ifndef LINERATE_OBJECT_LAYOUT_H
#define LINERATE_OBJECT_LAYOUT_H

struct btf;

/* Print it as a JSON list; an empty one where there is no such type. */
void layout_print(const struct btf *btf, unsigned int type_id);
/* Text of an object as a JSON string; what is not printable ASCII becomes a question mark. */
void layout_print_text(const char *text);

#endif
