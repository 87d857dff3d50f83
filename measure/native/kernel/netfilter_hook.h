/* SPDX-License-Identifier: Apache-2.0 */
/* A program at a hook of netfilter (kernel 6.4), for IPv4. */
#ifndef LINERATE_NETFILTER_HOOK_H
#define LINERATE_NETFILTER_HOOK_H

#include <bpf/libbpf.h>

/* Newer than the headers that this is built with. */
#define PROG_TYPE_NETFILTER 32

/* As iptables and nftables have them: the raw table comes first, the filter table at 0. */
#define NETFILTER_RAW	 (-300)
#define NETFILTER_FILTER 0

/* Say what a program is, which a library older than the hook cannot know. */
void netfilter_hook_set_type(struct bpf_program *program);
/*
 * Put a program on a hook (NF_INET_PRE_ROUTING ...) of this namespace: a link, which goes with the
 * last one who has it, or -errno. One program has each priority: the kernel refuses a second one.
 */
int netfilter_hook_link(int program_fd, int hook, int priority);

#endif
