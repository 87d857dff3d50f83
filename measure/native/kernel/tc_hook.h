/* SPDX-License-Identifier: Apache-2.0 */
/* A program at tc's ingress of an interface, with direct action. */
#ifndef LINERATE_TC_HOOK_H
#define LINERATE_TC_HOOK_H

#include <bpf/libbpf.h>

/*
 * A qdisc that is there already is somebody's: making ours fails then. It is in *qdisc once it is
 * made, whatever the result; 0 or -errno.
 */
int tc_hook_attach(int program_fd, int ifindex, struct bpf_tc_hook *qdisc);
/* Remove the qdisc with all in it, where one was made. */
void tc_hook_detach(struct bpf_tc_hook *qdisc);

#endif
