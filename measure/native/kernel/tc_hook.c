// SPDX-License-Identifier: Apache-2.0
#include "tc_hook.h"

/* libbpf attaches with direct action. */
int tc_hook_attach(int program_fd, int ifindex, struct bpf_tc_hook *qdisc)
{
	LIBBPF_OPTS(bpf_tc_hook, ours, .ifindex = ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, filter, .prog_fd = program_fd);
	int error = bpf_tc_hook_create(&ours);

	if (error)
		return error;
	*qdisc = ours;
	/* To destroy both sides is to remove the qdisc itself. */
	qdisc->attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS;
	return bpf_tc_attach(&ours, &filter);
}

void tc_hook_detach(struct bpf_tc_hook *qdisc)
{
	if (qdisc->ifindex)
		bpf_tc_hook_destroy(qdisc);
}
