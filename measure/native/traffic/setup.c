// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <net/if.h>

#include <bpf/bpf.h>
#include <linux/if_link.h>

#include "frame.h"
#include "run.h"

#define LINK_MS 10000

/* Whole batches that are whole rounds of an order, too, to one packet in a hundred. */
static uint32_t whole_rounds(uint32_t batch_packets, uint32_t round_packets)
{
	uint32_t packets = batch_packets, beyond = packets % round_packets;

	while (100ull * beyond > packets && 100ull * (round_packets - beyond) > packets) {
		packets += batch_packets;
		beyond = packets % round_packets;
	}
	return packets;
}

/* Take in the user's frames, before the programs that replay them are loaded. */
static int read_frames(struct traffic *traffic)
{
	const char *path = traffic->options.frames_path;
	int error = path ? frames_read(path, &traffic->frames) : 0;

	if (error || !path)
		return error;
	if (traffic->frames.count >= traffic->frames.order_count)
		return -EINVAL;
	traffic->bpf->rodata->replayed = traffic->frames.order_count - traffic->frames.count;
	traffic->bpf->rodata->replayed_first = traffic->frames.count;
	/* Else stretches of different frames would differ, and nobody could tell who was disturbed.
	 */
	if (traffic->options.timed)
		traffic->bpf->rodata->stretch_step = whole_rounds(
			traffic->bpf->rodata->stretch_step, traffic->bpf->rodata->replayed);
	error = bpf_map__set_max_entries(traffic->bpf->maps.frames, traffic->frames.count);
	return error ? error
		     : bpf_map__set_max_entries(traffic->bpf->maps.order,
						traffic->frames.order_count);
}

/* At tc it lies in a clsact of the lab's own interface, and goes with that. */
static int attach_skb_sink(const struct bpf_program *sink, int ifindex)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, options, .handle = 1, .priority = 1, .flags = BPF_TC_F_REPLACE,
		    .prog_fd = bpf_program__fd(sink));
	int error = bpf_tc_hook_create(&hook);

	return error && error != -EEXIST ? error : bpf_tc_attach(&hook, &options);
}

static int attach_sinks(struct traffic *traffic, const struct bpf_program *sink)
{
	const struct traffic_options *options = &traffic->options;
	const char *devices[TRAFFIC_SINKS_MAX] = { options->sink_device, options->far_device };
	int i, error = 0;

	for (i = 0; !error && i < TRAFFIC_SINKS_MAX && devices[i]; i++) {
		int ifindex = if_nametoindex(devices[i]);

		if (options->sink_skbs || (options->renewed && devices[i] == options->far_device)) {
			error = attach_skb_sink(traffic->bpf->progs.sink_skb, ifindex);
			continue;
		}
		traffic->sinks[i] = bpf_program__attach_xdp(sink, ifindex);
		error = traffic->sinks[i] ? 0 : -errno;
	}
	return error;
}

static int open_devices(struct traffic *traffic)
{
	const struct traffic_options *options = &traffic->options;
	int error = device_open(&traffic->device, NULL, options->device);

	if (!error && !options->dut_uncounted)
		error = device_open(&traffic->dut, options->dut_netns, options->dut_device);
	if (!error)
		error = device_open(&traffic->sink_device, NULL, options->sink_device);
	if (!error && options->out_device)
		error = device_open(&traffic->out, options->dut_netns, options->out_device);
	if (!error && options->far_device)
		error = device_open(&traffic->far, NULL, options->far_device);
	return error;
}

int traffic_set_up(struct traffic *traffic)
{
	const struct traffic_options *options = &traffic->options;
	LIBBPF_OPTS(bpf_link_create_opts, link, .flags = XDP_FLAGS_DRV_MODE);
	int ifindex = if_nametoindex(options->device);
	struct bpf_program *sink;
	int error;

	if (!ifindex || !if_nametoindex(options->sink_device) ||
	    (options->far_device && !if_nametoindex(options->far_device)))
		return -errno;
	traffic->bpf = traffic_bpf__open();
	if (!traffic->bpf)
		return -errno;
	traffic_set_schedule(options, ifindex, traffic->bpf->rodata);
	sink = traffic->bpf->progs.sink;
	if (options->sink_skbs || options->renewed)
		bpf_program__set_autoload(traffic->bpf->progs.sink_skb, true);
	if (options->window_packets) {
		sink = traffic->bpf->progs.generate_or_sink;
		bpf_program__set_autoload(sink, true);
	}
	error = read_frames(traffic);
	if (!error)
		error = traffic_bpf__load(traffic->bpf);
	if (!error)
		error = frames_put(&traffic->frames, bpf_map__fd(traffic->bpf->maps.frames),
				   bpf_map__fd(traffic->bpf->maps.order));
	if (error)
		return error;
	traffic->bpf->bss->phase = TRAFFIC_HOLD;
	error = attach_sinks(traffic, sink);
	if (!error)
		error = open_devices(traffic);
	/* A card's driver takes the link down to attach a program. */
	return error ? error : device_await_link(&traffic->sink_device, LINK_MS);
}

void traffic_tear_down(struct traffic *traffic)
{
	int i;

	device_close(&traffic->device);
	device_close(&traffic->dut);
	device_close(&traffic->sink_device);
	device_close(&traffic->out);
	device_close(&traffic->far);
	frames_free(&traffic->frames);
	for (i = 0; i < TRAFFIC_SINKS_MAX; i++)
		bpf_link__destroy(traffic->sinks[i]);
	traffic_bpf__destroy(traffic->bpf);
}
