// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts what becomes of packets that a program under test got, where the driver does not. What
 * goes wrong raises a tracepoint on either hook. Above the driver, packets that pass are counted
 * behind the hook; nothing counts those that are redirected but a tracepoint.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#include "objects/ends.h"

/* As the kernel calls them; its type information says where the members are. */
struct bpf_prog_aux {
	__u32 id;
} __attribute__((preserve_access_index));

struct bpf_prog {
	struct bpf_prog_aux *aux;
} __attribute__((preserve_access_index));

const volatile __u32 program_id = 0; /* under test */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, ENDS);
	__type(key, __u32);
	__type(value, __u64);
} ends SEC(".maps");

static __always_inline void count(__u32 end)
{
	__u64 *packets = bpf_map_lookup_elem(&ends, &end);

	if (packets)
		*packets += 1;
}

static __always_inline void count_of(const struct bpf_prog *program, __u32 end)
{
	if (program->aux->id == program_id)
		count(end);
}

/* xdp_exception(device, program, verdict); what is no verdict is taken for XDP_ABORTED. */
SEC("?tp_btf/xdp_exception")
int count_exception(unsigned long long *arguments)
{
	__u32 verdict = arguments[2];

	count_of((void *)arguments[1], verdict == XDP_TX ? END_UNSENT : END_ABORTED);
	return 0;
}

/* xdp_redirect_err(device, program, ...) */
SEC("?tp_btf/xdp_redirect_err")
int count_undirected(unsigned long long *arguments)
{
	count_of((void *)arguments[1], END_UNDIRECTED);
	return 0;
}

/* xdp_redirect(device, program, ...); frames of the generator are redirected too. */
SEC("?tp_btf/xdp_redirect")
int count_redirected(unsigned long long *arguments)
{
	count_of((void *)arguments[1], END_REDIRECT);
	return 0;
}

SEC("?tc")
int count_passed(struct __sk_buff *skb)
{
	count(END_PASS);
	return TC_ACT_UNSPEC;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
