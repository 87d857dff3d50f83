// SPDX-License-Identifier: Apache-2.0
/* The wire on a raw AF_PACKET socket, batches by recvmmsg and sendmmsg. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "function.h"

#define BUFFER_BYTES (1 << 20)

struct wire {
	int socket;
	struct mmsghdr messages[CHAIN_BATCH_MAX];
	struct iovec vectors[CHAIN_BATCH_MAX];
	char packets[CHAIN_BATCH_MAX][CHAIN_PACKET_BYTES];
	struct mmsghdr out[CHAIN_BATCH_MAX];
};

static int set_up_socket(int fd, const char *device)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = if_nametoindex(device) };
	int yes = 1, bytes = BUFFER_BYTES;

	if (!address.sll_ifindex)
		return -errno;
	/* What it sends itself must not come in again. */
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof(yes)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	return 0;
}

int chain_open(struct chain_function *function)
{
	struct wire *wire = calloc(1, sizeof(*wire));
	int i;

	if (!wire)
		return -ENOMEM;
	function->wire = wire;
	/* Protocol 0: nothing comes in before it is bound. */
	wire->socket = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (wire->socket < 0)
		return -errno;
	for (i = 0; i < CHAIN_BATCH_MAX; i++) {
		wire->vectors[i].iov_base = wire->packets[i];
		wire->messages[i].msg_hdr.msg_iov = &wire->vectors[i];
		wire->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return set_up_socket(wire->socket, function->options.device);
}

/* A batch is what is there: nobody waits until it is full. */
static int receive(struct wire *wire, int batch_packets)
{
	int i, count;

	for (i = 0; i < batch_packets; i++)
		wire->vectors[i].iov_len = CHAIN_PACKET_BYTES;
	do {
		count = recvmmsg(wire->socket, wire->messages, batch_packets, MSG_WAITFORONE, NULL);
	} while (count < 0 && errno == EINTR);
	return count < 0 ? -errno : count;
}

static void send_all(struct chain_function *function, struct wire *wire, int count)
{
	int done, sent;

	for (done = 0; done < count; done += sent) {
		sent = sendmmsg(wire->socket, wire->out + done, count - done, 0);
		if (sent > 0) {
			chain_add(&function->counts.sent, sent);
		} else {
			/* Blocked by a full ring or refused by a stage: this one is lost. */
			chain_add(&function->counts.unsent, 1);
			sent = 1;
		}
	}
}

int chain_run(struct chain_function *function)
{
	struct wire *wire = function->wire;
	int i, count, served;

	for (;;) {
		count = receive(wire, function->options.batch_packets);
		if (count < 0)
			return count;
		for (i = served = 0; i < count; i++) {
			wire->vectors[i].iov_len = wire->messages[i].msg_len;
			if (chain_serve(function, wire->packets[i], wire->messages[i].msg_len))
				wire->out[served++] = wire->messages[i];
		}
		send_all(function, wire, served);
	}
}

int chain_take_lost(struct chain_function *function, uint64_t *packets)
{
	struct wire *wire = function->wire;
	struct tpacket_stats lost = {}; /* since it was read last */
	socklen_t size = sizeof(lost);

	if (getsockopt(wire->socket, SOL_PACKET, PACKET_STATISTICS, &lost, &size))
		return -errno;
	*packets = lost.tp_drops;
	return 0;
}
