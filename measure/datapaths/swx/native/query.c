// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/runner.h"
#include "query.h"

#define PASSAGE_TRIES	100
#define PASSAGE_WAIT_US 1000
#define ACTIONS_MAX	64

static int read_packet(const char *hex, struct rte_mbuf *packet)
{
	uint16_t room = rte_pktmbuf_tailroom(packet);
	int bytes = option_hex(hex, rte_pktmbuf_mtod(packet, uint8_t *), room);

	if (bytes <= 0) {
		options_refuse("packet", hex, "not the bytes of a packet",
			       "pairs of hexadecimal digits", "correct it");
		return -EINVAL;
	}
	rte_pktmbuf_append(packet, bytes);
	return 0;
}

static void print_packet(const struct rte_mbuf *packet, const char *comma)
{
	const uint8_t *bytes = rte_pktmbuf_mtod(packet, const uint8_t *);
	unsigned int i;

	printf("%s\"", comma);
	for (i = 0; i < packet->data_len; i++)
		printf("%02x", bytes[i]);
	printf("\"");
}

/* Packets that come back before the instance is seen to have dropped one, or time is up. */
static void print_back(const struct swx_worker *worker, const struct swx_counts *before)
{
	struct rte_mbuf *packets[SWX_BURST_MAX];
	struct swx_counts after;
	unsigned int back = 0, i, count;
	int tries;

	for (tries = 0; tries < PASSAGE_TRIES && !back; tries++) {
		usleep(PASSAGE_WAIT_US);
		count = swx_lane_receive(&worker->lane, packets, SWX_BURST_MAX);
		for (i = 0; i < count; i++)
			print_packet(packets[i], back++ ? ", " : "");
		rte_pktmbuf_free_bulk(packets, count);
		swx_worker_read(worker, &after);
		if (after.program_drops > before->program_drops)
			break;
	}
	swx_worker_read(worker, &after);
	printf("], \"dropped\": %" PRIu64 "}\n", after.program_drops - before->program_drops);
}

int swx_print_passage(struct swx_bench *bench, const char *hex)
{
	struct swx_worker *worker = &bench->workers[0];
	struct rte_mbuf *packet;
	struct swx_counts before;
	int error;

	if (bench->options->port != SWX_RING && bench->options->port != SWX_MEMIF) {
		runner_complain("packet: needs --port ring or memif", 0);
		return -EINVAL;
	}
	packet = rte_pktmbuf_alloc(worker->lane.packets);
	if (!packet)
		return -ENOMEM;
	error = read_packet(hex, packet);
	if (error)
		goto out;
	swx_worker_read(worker, &before);
	error = swx_worker_start(worker);
	if (error)
		goto out;
	if (swx_lane_send(&worker->lane, &packet, 1) == 1) {
		packet = NULL; /* the pipeline's now */
		printf("{\"packets\": [");
		print_back(worker, &before);
	} else {
		error = -ENOBUFS;
	}
	swx_worker_stop(worker);
out:
	rte_pktmbuf_free(packet);
	return error;
}

static int print_values(struct swx_worker *worker, const char *name, uint32_t first, uint32_t count)
{
	uint64_t value;
	uint32_t i;
	int error;

	for (i = 0; i < count; i++) {
		error = rte_swx_ctl_pipeline_regarray_read(worker->pipeline, name, first + i,
							   &value);
		if (error) {
			runner_complain(name, error);
			return error;
		}
		printf("%s%" PRIu64, i ? ", " : "", value);
	}
	return 0;
}

/* NAME FIRST COUNT; the name stays in the words, which are cut up. */
static int read_range(char *words, const char **name, uint64_t *first, uint64_t *count)
{
	const char *from, *many;

	*name = strsep(&words, " ");
	from = strsep(&words, " ");
	many = strsep(&words, " ");
	if (many && !words && !option_count(from, 0, UINT32_MAX, first) &&
	    !option_count(many, 0, UINT32_MAX, count))
		return 0;
	options_refuse("register", *name, "not a range of it",
		       "NAME FIRST COUNT, both whole numbers", "correct it");
	return -EINVAL;
}

int swx_print_registers(const struct swx_bench *bench, char *words)
{
	uint64_t first, count;
	const char *name;
	int i, error = read_range(words, &name, &first, &count);

	if (error)
		return error;
	printf("{\"register\": \"%s\", \"values\": [", name);
	for (i = 0; !error && i < bench->opened; i++) {
		printf("%s[", i ? ", " : "");
		error = print_values((struct swx_worker *)&bench->workers[i], name, first, count);
		printf("]");
	}
	if (!error)
		printf("]}\n");
	return error;
}

static int print_one_table(struct rte_swx_pipeline *pipeline, const char *name)
{
	struct rte_swx_ctl_pipeline_info info;
	struct rte_swx_ctl_action_info action;
	uint64_t uses[ACTIONS_MAX] = {};
	struct rte_swx_table_stats stats = { .n_pkts_action = uses };
	const char *comma = "";
	unsigned int i;
	int error = rte_swx_ctl_pipeline_info_get(pipeline, &info);

	if (!error && info.n_actions > ACTIONS_MAX)
		error = -E2BIG;
	if (!error)
		error = rte_swx_ctl_pipeline_table_stats_read(pipeline, name, &stats);
	if (error) {
		runner_complain(name, error);
		return error;
	}
	printf("{\"hits\": %" PRIu64 ", \"misses\": %" PRIu64 ", \"actions\": {", stats.n_pkts_hit,
	       stats.n_pkts_miss);
	for (i = 0; i < info.n_actions; i++) {
		if (!uses[i] || rte_swx_ctl_action_info_get(pipeline, i, &action))
			continue;
		printf("%s\"%s\": %" PRIu64, comma, action.name, uses[i]);
		comma = ", ";
	}
	printf("}}");
	return 0;
}

int swx_print_table(const struct swx_bench *bench, const char *name)
{
	int i, error = 0;

	printf("{\"table\": \"%s\", \"instances\": [", name);
	for (i = 0; !error && i < bench->opened; i++) {
		printf("%s", i ? ", " : "");
		error = print_one_table(bench->workers[i].pipeline, name);
	}
	if (!error)
		printf("]}\n");
	return error;
}

int swx_print_counts(const struct swx_bench *bench)
{
	struct swx_counts sum = {}, one;
	int i;

	for (i = 0; i < bench->opened; i++) {
		swx_worker_read(&bench->workers[i], &one);
		sum.in += one.in;
		sum.out += one.out;
		sum.program_drops += one.program_drops;
		sum.tx_drops += one.tx_drops;
		sum.empty_polls += one.empty_polls;
	}
	printf("{\"received\": %" PRIu64 ", \"sent\": %" PRIu64 ", \"program_drops\": %" PRIu64
	       ", \"tx_drops\": %" PRIu64 ", \"empty_polls\": %" PRIu64 "}\n",
	       sum.in, sum.out, sum.program_drops, sum.tx_drops, sum.empty_polls);
	return 0;
}
