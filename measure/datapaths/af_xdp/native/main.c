// SPDX-License-Identifier: Apache-2.0
/*
 * Device under test in user space: a program on the XDP hook redirects each frame
 * to the AF_XDP socket of its queue, a thread turns it round and sends it back.
 * Program, link and sockets live as long as this process, and it holds until its
 * standard input closes. A program that is on the interface already is never
 * replaced: a link does not take the place of another program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "common/runner.h"
#include "own.h"
#include "worker.h"

struct forwarder {
	struct xsk_options options;
	struct bpf_object *object;
	int link_fd;
	const volatile uint64_t *passed; /* of each queue, as the program counts */
	struct xsk_worker workers[XSK_REDIRECT_QUEUES_MAX];
	size_t opened, running;
};

struct counts {
	uint64_t received, sent, ended, aborted, passed, device_tx_dropped, polling_sockets;
	struct xdp_statistics kernel;
};

static void on_wake(int signal)
{
	(void)signal; /* only to end a system call */
}

static int load_program(struct forwarder *forwarder)
{
	forwarder->object = bpf_object__open(forwarder->options.object);
	return forwarder->object ? bpf_object__load(forwarder->object) : -errno;
}

static void explain_bind(const struct xsk_options *options, int error)
{
	if (options->zero_copy && (error == -EOPNOTSUPP || error == -ENOTSUP))
		fprintf(stderr,
			"zero_copy=true: the driver of %s has no zero-copy AF_XDP; "
			"allowed: false; set zero_copy = false, or use a card whose driver has it\n",
			options->device);
	else
		runner_complain("AF_XDP socket", error);
}

static int open_sockets(struct forwarder *forwarder)
{
	const struct xsk_options *options = &forwarder->options;
	int map_fd = bpf_object__find_map_fd_by_name(forwarder->object, "sockets");
	int error = map_fd < 0 ? map_fd : 0;

	for (; !error && forwarder->opened < options->cores.count; forwarder->opened++) {
		struct xsk_worker *worker = &forwarder->workers[forwarder->opened];

		worker->options = options;
		worker->queue = forwarder->opened;
		worker->core = options->cores.values[forwarder->opened];
		worker->wake_fd = options->wake_fds.count
					  ? (int)options->wake_fds.values[forwarder->opened]
					  : -1;
		error = xsk_port_open(&worker->port, options, worker->queue);
		if (!error)
			error = xsk_socket__update_xskmap(worker->port.socket, map_fd);
		if (error)
			explain_bind(options, error);
	}
	return error;
}

static int attach(struct forwarder *forwarder)
{
	LIBBPF_OPTS(bpf_link_create_opts, link, .flags = xsk_attach_flags(&forwarder->options));
	struct bpf_program *program = bpf_object__next_program(forwarder->object, NULL);
	int ifindex = if_nametoindex(forwarder->options.device);

	if (!ifindex)
		return -errno;
	forwarder->link_fd = bpf_link_create(bpf_program__fd(program), ifindex, BPF_XDP, &link);
	if (forwarder->link_fd < 0)
		runner_complain(forwarder->options.device, forwarder->link_fd);
	return forwarder->link_fd < 0 ? forwarder->link_fd : 0;
}

static int start_workers(struct forwarder *forwarder)
{
	int error = 0;

	for (; !error && forwarder->running < forwarder->opened; forwarder->running++)
		error = xsk_worker_start(&forwarder->workers[forwarder->running]);
	if (error)
		forwarder->running--;
	return error;
}

static int stop_workers(struct forwarder *forwarder)
{
	int error = 0, stopped;

	while (forwarder->running > 0) {
		stopped = xsk_worker_stop(&forwarder->workers[--forwarder->running]);
		if (stopped)
			error = stopped;
	}
	return error;
}

/* Frames that the device itself did not send; 32 bits wide in the kernel's answer. */
static int read_tx_dropped(const char *device, uint64_t *dropped)
{
	struct ifaddrs *all, *one;

	if (getifaddrs(&all))
		return -errno;
	for (one = all; one; one = one->ifa_next)
		if (one->ifa_addr && one->ifa_addr->sa_family == AF_PACKET && one->ifa_data &&
		    !strcmp(one->ifa_name, device))
			*dropped = ((struct rtnl_link_stats *)one->ifa_data)->tx_dropped;
	freeifaddrs(all);
	return 0;
}

/* Mapped, since a process that has given up its rights may not ask for it. */
static int map_passed(struct forwarder *forwarder)
{
	struct bpf_map *map = bpf_object__find_map_by_name(forwarder->object, ".bss");
	size_t bytes = XSK_REDIRECT_QUEUES_MAX * sizeof(*forwarder->passed);
	void *mapped;

	if (!map)
		return -ENOENT;
	mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (mapped == MAP_FAILED)
		return -errno;
	forwarder->passed = mapped;
	return 0;
}

static int add_kernel_counts(const struct xsk_port *port, struct xdp_statistics *sum)
{
	struct xdp_statistics one = {};
	socklen_t bytes = sizeof(one);

	if (getsockopt(xsk_socket__fd(port->socket), SOL_XDP, XDP_STATISTICS, &one, &bytes))
		return -errno;
	sum->rx_dropped += one.rx_dropped;
	sum->rx_ring_full += one.rx_ring_full;
	sum->rx_fill_ring_empty_descs += one.rx_fill_ring_empty_descs;
	sum->rx_invalid_descs += one.rx_invalid_descs;
	sum->tx_invalid_descs += one.tx_invalid_descs;
	return 0;
}

static int print_counts(const struct forwarder *forwarder)
{
	struct counts counts = {};
	int error = read_tx_dropped(forwarder->options.device, &counts.device_tx_dropped);
	size_t i;

	for (i = 0; i < XSK_REDIRECT_QUEUES_MAX; i++)
		counts.passed += forwarder->passed[i];
	for (i = 0; !error && i < forwarder->opened; i++) {
		error = own_check_return(&forwarder->workers[i]);
		counts.received += forwarder->workers[i].received;
		counts.sent += forwarder->workers[i].sent;
		counts.ended += forwarder->workers[i].ended;
		counts.aborted += forwarder->workers[i].aborted;
		counts.polling_sockets += xsk_port_knows_napi(&forwarder->workers[i].port);
		if (!error)
			error = add_kernel_counts(&forwarder->workers[i].port, &counts.kernel);
	}
	if (error)
		return error;
	printf("{\"received\": %" PRIu64 ", \"sent\": %" PRIu64 ", \"ended\": %" PRIu64
	       ", \"aborted\": %" PRIu64 ", \"passed\": %" PRIu64 ", \"rx_dropped\": %" PRIu64
	       ", \"rx_ring_full\": %" PRIu64 ", \"fill_ring_empty\": %" PRIu64
	       ", \"rx_invalid\": %" PRIu64 ", \"tx_invalid\": %" PRIu64
	       ", \"device_tx_dropped\": %" PRIu64 ", \"polling_sockets\": %" PRIu64 "}\n",
	       counts.received, counts.sent, counts.ended, counts.aborted, counts.passed,
	       (uint64_t)counts.kernel.rx_dropped, (uint64_t)counts.kernel.rx_ring_full,
	       (uint64_t)counts.kernel.rx_fill_ring_empty_descs,
	       (uint64_t)counts.kernel.rx_invalid_descs, (uint64_t)counts.kernel.tx_invalid_descs,
	       counts.device_tx_dropped, counts.polling_sockets);
	return fflush(stdout) ? -errno : 0;
}

static void print_ready(const struct forwarder *forwarder)
{
	size_t i;

	printf("{\"attached\": \"%s\", \"threads\": [",
	       bpf_program__name(bpf_object__next_program(forwarder->object, NULL)));
	for (i = 0; i < forwarder->running; i++)
		printf("%s%d", i ? ", " : "", forwarder->workers[i].thread_id);
	printf("]}\n");
	fflush(stdout);
}

/* Answer each line on standard input with the counts, until it closes. */
static int hold(struct forwarder *forwarder)
{
	char bytes[64];
	ssize_t got, i;
	int error = 0;

	while ((got = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
		for (i = 0; !error && i < got; i++)
			if (bytes[i] == '\n')
				error = print_counts(forwarder);
	return error;
}

static int run(struct forwarder *forwarder)
{
	int error, stopped;

	error = load_program(forwarder);
	if (!error)
		error = map_passed(forwarder);
	if (!error)
		error = open_sockets(forwarder);
	if (!error)
		error = attach(forwarder);
	if (!error && forwarder->options.function)
		error = own_load(&forwarder->options, forwarder->workers, forwarder->opened);
	if (error)
		return error;
	error = start_workers(forwarder);
	if (!error) {
		print_ready(forwarder);
		error = hold(forwarder);
	}
	stopped = stop_workers(forwarder);
	if (stopped)
		runner_complain("AF_XDP forwarding", stopped);
	if (!error)
		error = stopped;
	return error ? error : print_counts(forwarder);
}

static void tear_down(struct forwarder *forwarder)
{
	size_t i;

	if (forwarder->link_fd >= 0)
		close(forwarder->link_fd);
	/* The one that failed to open, too, may be half there. */
	for (i = 0; i < forwarder->options.cores.count; i++)
		xsk_port_close(&forwarder->workers[i].port);
	bpf_object__close(forwarder->object);
}

int main(int argc, char **argv)
{
	static struct forwarder forwarder = { .link_fd = -1 };
	struct sigaction wake = { .sa_handler = on_wake };
	enum option_outcome outcome = xsk_parse_options(argc, argv, &forwarder.options);
	int error;

	if (outcome != OPTIONS_READ)
		return options_exit(&xsk_table, outcome);
	runner_quiet_libbpf();
	runner_run_first();
	error = runner_die_with_parent();
	if (!error && sigaction(SIGUSR1, &wake, NULL))
		error = -errno;
	if (!error)
		error = run(&forwarder);
	tear_down(&forwarder);
	return error ? runner_exit_code(error) : RUNNER_DONE;
}
