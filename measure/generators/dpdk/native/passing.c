// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <net/if.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "common/runner.h"
#include "passing.h"

int dpdk_attach_passing(const char *device)
{
	const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int program, link = -1, index = if_nametoindex(device);

	if (!index) {
		runner_complain(device, -errno);
		return -errno;
	}
	program = bpf_prog_load(BPF_PROG_TYPE_XDP, "linerate_pass", "GPL", pass,
				sizeof(pass) / sizeof(pass[0]), NULL);
	if (program >= 0)
		link = bpf_link_create(program, index, BPF_XDP, NULL);
	if (link >= 0)
		return 0;
	runner_complain("XDP program that passes frames on", -errno);
	return -errno;
}
