/* SPDX-License-Identifier: Apache-2.0 */
/* Stages of one namespace: loaded together, so that those with a map in common share it. */
#ifndef LINERATE_NSH_LOAD_H
#define LINERATE_NSH_LOAD_H

#include <bpf/libbpf.h>
#include <net/if.h>

#include "bpf/nsh/nsh.h"

#define NSH_STAGES_MAX 8

enum nsh_kind {
	NSH_CLASSIFY,
	NSH_DEC,
	NSH_ENC,
	NSH_FWD,
	NSH_SFF,
	NSH_BOUNCE,
	NSH_CROSS,
	NSH_ENTRY,
	NSH_SOCKET,
	NSH_KINDS,
};

/* One stage on one device. */
struct nsh_stage {
	enum nsh_kind kind;
	char device[IFNAMSIZ];
	struct bpf_object *object;
	int program_fd;
	int counts_fd;
	int link_fd; /* of one on XDP; -1 of one on tc */
	int attached;
};

struct nsh_stages {
	struct nsh_stage all[NSH_STAGES_MAX];
	int count;
	const char *objects; /* folder of the compiled programs */
	const char *pins;    /* folder that the rules' maps are pinned in */
	__u32 flows;	     /* that headers are kept for */
	struct nsh_settings settings;
};

/* Load and pin; 0 or -errno with words on stderr. */
int nsh_load(struct nsh_stages *stages);
/* Attach; 0 or -errno with words on stderr. What is there already is not replaced. */
int nsh_attach(struct nsh_stages *stages);
/* Take off what was attached, and free all. */
void nsh_unload(struct nsh_stages *stages);
extern const char *const nsh_stage_names[]; /* of each kind; ends with NULL */

#endif
