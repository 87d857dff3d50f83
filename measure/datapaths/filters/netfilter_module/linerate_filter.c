// SPDX-License-Identifier: GPL-2.0-only
/*
 * The filters of filter.h as a kernel module on a netfilter hook, as Sampaio
 * (2017) had them, for kernels 5.x and 6.x. It filters in the network namespace
 * of the process that loads it, and in no other; its hook goes with that
 * namespace. Later fragments, which have no header of layer 4, match nothing but
 * drop_all.
 *
 *   insmod linerate_filter.ko program=drop_tcp_subnet hook=prerouting
 *   cat /sys/module/linerate_filter/parameters/dropped
 */
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/nsproxy.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/net_namespace.h>

#include "filter_settings.h"

static const char *const programs[] = FILTER_NAMES;

static char *program = "drop_all";
module_param(program, charp, 0444);
MODULE_PARM_DESC(program, "name of the filter");

static char *hook = "prerouting";
module_param(hook, charp, 0444);
MODULE_PARM_DESC(hook, "prerouting (before all others) or input");

static DEFINE_PER_CPU(u64, dropped_here);
static struct net *filtered; /* NULL once it is gone */
static int number;

static int get_dropped(char *text, const struct kernel_param *param)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) sum += per_cpu(dropped_here, cpu);
	return scnprintf(text, PAGE_SIZE, "%llu\n", sum);
}

static const struct kernel_param_ops dropped_ops = { .get = get_dropped };

module_param_cb(dropped, &dropped_ops, NULL, 0444);
MODULE_PARM_DESC(dropped, "packets dropped since it was loaded");

static bool has_mark(const struct sk_buff *skb, unsigned int payload)
{
	u8 buffer;
	const u8 *mark = skb_header_pointer(skb, payload + 1, sizeof(buffer), &buffer);

	return mark && *mark == FILTER_MARK;
}

static bool matches_tcp(const struct sk_buff *skb, unsigned int start)
{
	struct tcphdr buffer;
	const struct tcphdr *tcp = skb_header_pointer(skb, start, sizeof(buffer), &buffer);

	if (!tcp)
		return false;
	if (number == FILTER_DROP_TCP_SUBNET_FLAGS)
		return tcp->syn && tcp->rst;
	return tcp->doff >= sizeof(*tcp) / 4 && has_mark(skb, start + tcp->doff * 4);
}

static bool matches(const struct sk_buff *skb)
{
	const u8 protocol = number == FILTER_DROP_UDP_SUBNET ? IPPROTO_UDP : IPPROTO_TCP;
	const struct iphdr *ip = ip_hdr(skb);

	if (number == FILTER_DROP_ALL)
		return true;
	/* The kernel has checked the header's version and length before its hooks. */
	if (ip->protocol != protocol || (ip->frag_off & htons(IP_OFFSET)) ||
	    (ip->daddr & htonl(FILTER_SUBNET_MASK)) != htonl(FILTER_SUBNET))
		return false;
	if (number == FILTER_DROP_TCP_SUBNET || number == FILTER_DROP_UDP_SUBNET)
		return true;
	return matches_tcp(skb, ip->ihl * 4);
}

static unsigned int filter(void *private, struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (!matches(skb))
		return NF_ACCEPT;
	this_cpu_inc(dropped_here);
	return NF_DROP;
}

static struct nf_hook_ops operations = { .hook = filter, .pf = NFPROTO_IPV4 };

static int __net_init join_namespace(struct net *net)
{
	return net == filtered ? nf_register_net_hook(net, &operations) : 0;
}

static void __net_exit leave_namespace(struct net *net)
{
	if (net != filtered)
		return;
	nf_unregister_net_hook(net, &operations);
	filtered = NULL; /* another one may get its address */
}

static struct pernet_operations namespaces = {
	.init = join_namespace,
	.exit = leave_namespace,
};

static int set_hook(void)
{
	if (!strcmp(hook, "prerouting")) {
		operations.hooknum = NF_INET_PRE_ROUTING;
		operations.priority = NF_IP_PRI_RAW;
	} else if (!strcmp(hook, "input")) {
		operations.hooknum = NF_INET_LOCAL_IN;
		operations.priority = NF_IP_PRI_FILTER;
	} else {
		return -EINVAL;
	}
	return 0;
}

static int __init load(void)
{
	int error = set_hook();

	number = match_string(programs, FILTER_PROGRAMS, program);
	if (error || number < 0)
		return -EINVAL;
	filtered = current->nsproxy->net_ns;
	return register_pernet_subsys(&namespaces);
}

static void __exit unload(void)
{
	unregister_pernet_subsys(&namespaces);
}

module_init(load);
module_exit(unload);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Filters of linerate on a netfilter hook");
