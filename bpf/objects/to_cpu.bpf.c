// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Hands packets to the second core: what the queue between two cores costs the first. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define CORE 1 /* generator and device take turns on the first, 0 */

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, CORE + 1);
	__type(key, __u32);
	__type(value, __u32);
} cores SEC(".maps");

SEC("xdp")
int to_cpu(struct xdp_md *ctx)
{
	return bpf_redirect_map(&cores, CORE, XDP_DROP);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
