// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_ether.h>
#include <linux/ip.h>

#include "common/runner.h"
#include "measure/functions/include/linerate_function.h"
#include "worker.h"

#define SLEEP_MS 100

struct headers {
	struct ethhdr eth;
	struct iphdr ip;
} __attribute__((packed));

/* Not inlined away nor merged: each copy is made, for memory may have changed since the last. */
static inline void copy_source(unsigned char *to, const unsigned char *from, unsigned int times)
{
	unsigned int i;

	for (i = 0; i < times; i++) {
		memcpy(to, from, ETH_ALEN);
		asm volatile("" : : "r"(to), "r"(from) : "memory");
	}
}

static inline void turn_round(void *packet, unsigned int bytes, unsigned int copies)
{
	struct headers *headers = packet;
	unsigned char source[ETH_ALEN];
	uint32_t address;

	if (bytes < sizeof(struct ethhdr))
		return;
	memcpy(source, headers->eth.h_dest, ETH_ALEN);
	memcpy(headers->eth.h_dest, headers->eth.h_source, ETH_ALEN);
	memcpy(headers->eth.h_source, source, ETH_ALEN);
	copy_source(headers->eth.h_source, source, copies);
	if (bytes < sizeof(*headers) || headers->eth.h_proto != __constant_htons(ETH_P_IP))
		return;
	/* The header's checksum is a sum: swapping two of its terms leaves it right. */
	address = headers->ip.saddr;
	headers->ip.saddr = headers->ip.daddr;
	headers->ip.daddr = address;
}

/* What has arrived, up to a batch, is put up to be sent: nobody waits for more to come. */
static unsigned int forward_batch(struct xsk_worker *worker)
{
	const struct xsk_options *options = worker->options;
	struct xsk_port *port = &worker->port;
	uint32_t from = 0, to = 0, i;
	uint32_t count = xsk_ring_cons__peek(&port->rx, options->batch_packets, &from);

	if (!count)
		return 0;
	/* The ring has room for every frame that there is. */
	xsk_ring_prod__reserve(&port->tx, count, &to);
	for (i = 0; i < count; i++) {
		const struct xdp_desc *taken = xsk_ring_cons__rx_desc(&port->rx, from + i);

		turn_round(xsk_umem__get_data(port->frames, taken->addr), taken->len,
			   options->memory_accesses);
		*xsk_ring_prod__tx_desc(&port->tx, to + i) =
			(struct xdp_desc){ .addr = taken->addr, .len = taken->len };
	}
	xsk_ring_prod__submit(&port->tx, count);
	xsk_ring_cons__release(&port->rx, count);
	worker->received += count;
	return count;
}

/* The same where a function of the user's says what is sent. */
static unsigned int judge_batch(struct xsk_worker *worker)
{
	struct xsk_port *port = &worker->port;
	struct xdp_desc sent[XSK_BATCH_PACKETS_MAX];
	uint64_t ended[XSK_BATCH_PACKETS_MAX];
	uint32_t from = 0, sends = 0, ends = 0, aborted = 0, verdict, i;
	uint32_t count = xsk_ring_cons__peek(&port->rx, worker->options->batch_packets, &from);

	if (!count)
		return 0;
	worker->begun++;
	for (i = 0; i < count; i++) {
		const struct xdp_desc *taken = xsk_ring_cons__rx_desc(&port->rx, from + i);
		const struct xdp_desc frame = { .addr = taken->addr, .len = taken->len };

		verdict = worker->function(xsk_umem__get_data(port->frames, frame.addr), frame.len,
					   worker->state);
		if (verdict == LINERATE_TX)
			sent[sends++] = frame;
		else
			ended[ends++] = frame.addr;
		aborted += verdict != LINERATE_TX && verdict != LINERATE_DROP;
	}
	worker->done++;
	xsk_ring_cons__release(&port->rx, count);
	xsk_port_put(port, sent, sends);
	xsk_port_take_back(port, ended, ends);
	worker->ended += ends;
	worker->aborted += aborted;
	worker->received += count;
	return count;
}

/* What does not come back is in the upper half: the generator need not wait for it. */
static void wake_generator(struct xsk_worker *worker)
{
	const uint64_t one = 1 | (worker->ended - worker->reported) << 32;

	worker->reported = worker->ended;

	/* Failing it costs no more than the generator's patience. */
	if (worker->wake_fd >= 0 && write(worker->wake_fd, &one, sizeof(one)) < 0)
		return;
}

static void wait_for_packets(const struct xsk_worker *worker)
{
	struct pollfd readable = { .fd = xsk_socket__fd(worker->port.socket), .events = POLLIN };

	if (!worker->options->busy_poll)
		poll(&readable, 1, SLEEP_MS);
	else if (recvfrom(readable.fd, NULL, 0, MSG_DONTWAIT, NULL, NULL) < 0)
		sched_yield(); /* whoever shares the core must get on for packets to come */
}

static int forward(struct xsk_worker *worker)
{
	int always = !worker->options->need_wakeup, worked = 0, left;
	unsigned int taken;

	while (!worker->stop) {
		taken = worker->function ? judge_batch(worker) : forward_batch(worker);
		left = xsk_port_send(&worker->port, always);
		if (left < 0)
			return left;
		worker->sent += xsk_port_recycle(&worker->port);
		if (taken || left) {
			worked = 1;
			continue;
		}
		if (worked)
			wake_generator(worker);
		worked = 0;
		wait_for_packets(worker);
	}
	return 0;
}

static void *run(void *argument)
{
	struct xsk_worker *worker = argument;
	int error = runner_pin(worker->core);

	worker->thread_id = gettid();
	worker->error = error ? error : forward(worker);
	return NULL;
}

int xsk_worker_start(struct xsk_worker *worker)
{
	int error = pthread_create(&worker->thread, NULL, run, worker);

	while (!error && !worker->thread_id)
		usleep(100);
	return -error;
}

int xsk_worker_stop(struct xsk_worker *worker)
{
	worker->stop = 1;
	pthread_kill(worker->thread, SIGUSR1);
	pthread_join(worker->thread, NULL);
	return worker->error;
}
