// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "ends.h"

#define LINE_BYTES 512

static int read_counted(const struct ends *ends, uint64_t packets[ENDS])
{
	int fd = bpf_map__fd(bpf_object__find_map_by_name(ends->object, "ends"));
	int cpus = libbpf_num_possible_cpus(), cpu, error = 0;
	uint64_t *of_cpu = cpus > 0 ? calloc(cpus, sizeof(*of_cpu)) : NULL;
	uint32_t end;

	if (!of_cpu)
		return cpus < 0 ? cpus : -ENOMEM;
	for (end = 0; !error && end < ENDS; end++) {
		error = bpf_map_lookup_elem(fd, &end, of_cpu) ? -errno : 0;
		for (packets[end] = 0, cpu = 0; !error && cpu < cpus; cpu++)
			packets[end] += of_cpu[cpu];
	}
	free(of_cpu);
	return error;
}

/* IPv6 packets that the network stack sent: routed ones, and its own. */
static uint64_t sent_by_ipv6(void)
{
	FILE *file = fopen("/proc/self/net/snmp6", "re");
	char line[LINE_BYTES];
	uint64_t packets = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Ip6OutTransmits %" SCNu64, &packets) == 1)
			break;
	if (file)
		fclose(file);
	return packets;
}

/* The same of IPv4 (kernel 6.6); a line of names stands above one of numbers. */
static uint64_t sent_by_ipv4(void)
{
	FILE *file = fopen("/proc/self/net/snmp", "re");
	char names[LINE_BYTES], numbers[LINE_BYTES], *name, *number, *names_at, *numbers_at;
	uint64_t packets = 0;

	if (!file)
		return 0;
	if (fgets(names, sizeof(names), file) && fgets(numbers, sizeof(numbers), file)) {
		name = strtok_r(names, " \n", &names_at);
		number = strtok_r(numbers, " \n", &numbers_at);
		for (; name && number; name = strtok_r(NULL, " \n", &names_at),
				       number = strtok_r(NULL, " \n", &numbers_at))
			if (!strcmp(name, "OutTransmits"))
				packets = strtoull(number, NULL, 10);
	}
	fclose(file);
	return packets;
}

int ends_read_sent(struct ends_sent *sent)
{
	FILE *file = fopen("/proc/self/net/dev", "re");
	char line[LINE_BYTES], name[LINE_BYTES];
	uint64_t packets, lost, stack;

	*sent = (struct ends_sent){};
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line,
			   " %[^:]: %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64 " %*u %" SCNu64,
			   name, &packets, &lost) != 3 ||
		    !strcmp(name, "lo"))
			continue;
		sent->packets += packets;
		sent->lost += lost;
	}
	fclose(file);
	stack = sent_by_ipv4() + sent_by_ipv6();
	sent->packets -= stack < sent->packets ? stack : sent->packets;
	return 0;
}

/* The driver counts what it did; XDP_ABORTED is among its drops. */
static void end_native(const struct device_counters *driver, uint64_t packets[ENDS])
{
	packets[END_DROP] = driver->program_drops - packets[END_ABORTED];
	packets[END_TX] = driver->program_sends + driver->unsent + packets[END_UNSENT];
	packets[END_REDIRECT] = driver->redirects + packets[END_UNDIRECTED];
	packets[END_PASS] = driver->rx_packets - driver->program_drops - driver->program_sends -
			    driver->unsent - driver->redirects - driver->rx_drops;
}

/*
 * What came and is at no other end was dropped, or passed without being counted, or went to another
 * CPU so. What is redirected leaves by a device, as what is sent back.
 */
static void end_generic(const struct device_counters *driver, const struct ends_sent *sent,
			uint64_t packets[ENDS])
{
	uint64_t elsewhere;

	packets[END_UNSENT] += sent->lost;
	packets[END_TX] =
		sent->packets + packets[END_TO_CPU] - packets[END_REDIRECT] + packets[END_UNSENT];
	packets[END_REDIRECT] += packets[END_UNDIRECTED];
	elsewhere = packets[END_ABORTED] + packets[END_PASS] + packets[END_TX] +
		    packets[END_REDIRECT] + driver->rx_drops;
	packets[END_DROP] = driver->rx_packets > elsewhere ? driver->rx_packets - elsewhere : 0;
}

/* What came and is at no other end passed, or ended without being counted. */
static void end_tc(const struct device_counters *driver, const struct ends_sent *sent,
		   uint64_t packets[ENDS])
{
	uint64_t elsewhere;

	packets[END_UNSENT] = sent->lost;
	packets[END_REDIRECT] = sent->packets + sent->lost + packets[END_UNDIRECTED];
	elsewhere = packets[END_DROP] + packets[END_REDIRECT] + driver->rx_drops;
	packets[END_PASS] = driver->rx_packets > elsewhere ? driver->rx_packets - elsewhere : 0;
}

int ends_read(const struct ends *ends, uint64_t packets[ENDS])
{
	struct device_counters driver;
	struct ends_sent sent;
	int error = read_counted(ends, packets);

	if (!error)
		error = device_read(&ends->device, &driver);
	if (!error)
		error = ends_read_sent(&sent);
	if (error)
		return error;
	if (ends->hook == OBJECT_NATIVE)
		end_native(&driver, packets);
	else if (ends->hook == OBJECT_GENERIC)
		end_generic(&driver, &sent, packets);
	else
		end_tc(&driver, &sent, packets);
	return 0;
}
