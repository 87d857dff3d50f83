// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/if_link.h>

#include "load.h"
#include "common/runner.h"

enum point {
	XDP,
	INGRESS = BPF_TC_INGRESS,
	EGRESS = BPF_TC_EGRESS,
};

/* Where each stage sits; on tc the lower priority number comes first. */
static const struct hook {
	enum point point;
	int priority;
} hooks[NSH_KINDS] = {
	[NSH_CLASSIFY] = { EGRESS, 1 }, [NSH_DEC] = { XDP, 0 },	      [NSH_ENC] = { EGRESS, 1 },
	[NSH_FWD] = { EGRESS, 2 },	[NSH_SFF] = { INGRESS, 1 },   [NSH_BOUNCE] = { INGRESS, 1 },
	[NSH_CROSS] = { INGRESS, 1 },	[NSH_ENTRY] = { INGRESS, 1 }, [NSH_SOCKET] = { XDP, 0 },
};

const char *const nsh_stage_names[] = {
	[NSH_CLASSIFY] = "classify", [NSH_DEC] = "dec",	    [NSH_ENC] = "enc",
	[NSH_FWD] = "fwd",	     [NSH_SFF] = "sff",	    [NSH_BOUNCE] = "bounce",
	[NSH_CROSS] = "cross",	     [NSH_ENTRY] = "entry", [NSH_SOCKET] = "socket",
	[NSH_KINDS] = NULL,
};

static int attach_xdp(struct nsh_stage *stage, int ifindex)
{
	LIBBPF_OPTS(bpf_link_create_opts, link, .flags = XDP_FLAGS_DRV_MODE);

	stage->link_fd = bpf_link_create(stage->program_fd, ifindex, BPF_XDP, &link);
	return stage->link_fd < 0 ? stage->link_fd : 0;
}

/* Whether an earlier stage of ours made the queueing discipline that carries both ends. */
static int have_clsact(const struct nsh_stages *stages, const struct nsh_stage *stage)
{
	const struct nsh_stage *before;

	for (before = stages->all; before < stage; before++)
		if (hooks[before->kind].point != XDP && !strcmp(before->device, stage->device))
			return 1;
	return 0;
}

static int attach_tc(const struct nsh_stages *stages, struct nsh_stage *stage, int ifindex,
		     const struct hook *hook)
{
	LIBBPF_OPTS(bpf_tc_hook, clsact, .ifindex = ifindex,
		    .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = stage->program_fd, .handle = 1,
		    .priority = hook->priority);
	int error = 0;

	if (!have_clsact(stages, stage))
		error = bpf_tc_hook_create(&clsact); /* -EEXIST: somebody else's */
	if (error)
		return error;
	clsact.attach_point = (enum bpf_tc_attach_point)hook->point;
	return bpf_tc_attach(&clsact, &opts);
}

int nsh_attach(struct nsh_stages *stages)
{
	int i, ifindex, error = 0;

	for (i = 0; !error && i < stages->count; i++) {
		struct nsh_stage *stage = &stages->all[i];
		const struct hook *hook = &hooks[stage->kind];

		ifindex = if_nametoindex(stage->device);
		if (!ifindex)
			error = -errno;
		else if (hook->point == XDP)
			error = attach_xdp(stage, ifindex);
		else
			error = attach_tc(stages, stage, ifindex, hook);
		if (error)
			runner_complain(stage->device, error);
		else
			stage->attached = 1;
	}
	return error;
}

static void detach_tc(const struct nsh_stage *stage)
{
	LIBBPF_OPTS(bpf_tc_hook, clsact, .ifindex = if_nametoindex(stage->device),
		    .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);

	bpf_tc_hook_destroy(&clsact);
}

void nsh_unload(struct nsh_stages *stages)
{
	int i;

	for (i = 0; i < stages->count; i++) {
		struct nsh_stage *stage = &stages->all[i];

		if (stage->link_fd >= 0)
			close(stage->link_fd);
		else if (stage->attached && !have_clsact(stages, stage))
			detach_tc(stage);
		if (stage->object)
			bpf_object__unpin_maps(stage->object, NULL); /* once gone, gone */
		bpf_object__close(stage->object);
	}
}
