// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Baseline: every packet leaves by the port it came in, untouched. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int xdp_tx(struct xdp_md *ctx)
{
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
