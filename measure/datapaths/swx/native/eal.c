// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

#include "common/runner.h"
#include "eal.h"

#define ARGS_MAX     (24 + 2 * SWX_WORKERS_MAX)
#define ARG_BYTES    128
#define LCORES_BYTES (16 * (SWX_WORKERS_MAX + 1))

struct args {
	char *values[ARGS_MAX];
	int count;
};

static void add(struct args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct args *args, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	if (args->count < ARGS_MAX - 1 &&
	    vasprintf(&args->values[args->count], format, values) >= 0)
		args->count++;
	va_end(values);
}

static void add_lcores(struct args *args, const struct swx_options *options)
{
	char list[LCORES_BYTES];
	int i, used = snprintf(list, sizeof(list), "0@%" PRIu64, options->main_core);

	for (i = 0; i < swx_workers(options); i++)
		used += snprintf(list + used, sizeof(list) - used, ",%d@%" PRIu64, i + 1,
				 options->worker_cores.values[i]);
	add(args, "--lcores");
	add(args, "%s", list);
}

static void add_devices(struct args *args, const struct swx_options *options)
{
	/* memif shares memory: DPDK gives each segment a file descriptor only in this way. */
	if (options->port == SWX_MEMIF)
		add(args, "--single-file-segments");
	if (options->port == SWX_PCI)
		add(args, "--allow=%s", options->device);
	else
		add(args, "--no-pci");
	for (int i = 0; i < swx_workers(options); i++) {
		if (options->port == SWX_NULL)
			add(args, "--vdev=net_null%d,size=%d", i,
			    (int)options->null_frame_bytes - 4);
		if (options->port == SWX_AF_XDP)
			add(args, "--vdev=net_af_xdp%d,iface=%s,start_queue=%d,queue_count=1", i,
			    options->device, i);
		if (options->port == SWX_AF_PACKET)
			add(args, "--vdev=net_af_packet%d,iface=%s,qpairs=1,framecnt=%d", i,
			    options->device, (int)options->ring_packets);
		if (options->port == SWX_MEMIF) {
			add(args,
			    "--vdev=net_memif%d,role=server,id=%d,socket-abstract=yes,"
			    "socket=linerate-%d",
			    2 * i, i, getpid());
			add(args,
			    "--vdev=net_memif%d,role=client,id=%d,socket-abstract=yes,"
			    "socket=linerate-%d",
			    2 * i + 1, i, getpid());
		}
	}
}

static long free_hugepages(void)
{
	static const char pattern[] = "/sys/kernel/mm/hugepages/hugepages-*/free_hugepages";
	long sum = 0, one;
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++) {
		FILE *file = fopen(found.gl_pathv[i], "re");

		if (file && fscanf(file, "%ld", &one) == 1)
			sum += one;
		if (file)
			fclose(file);
	}
	globfree(&found);
	return sum;
}

static int check_cores(const struct swx_options *options)
{
	cpu_set_t allowed;
	int i;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	for (i = -1; i < swx_workers(options); i++) {
		uint64_t core = i < 0 ? options->main_core : options->worker_cores.values[i];

		if (CPU_ISSET(core, &allowed))
			continue;
		fprintf(stderr, "core=%" PRIu64 ": not one of this process's %d; name others\n",
			core, CPU_COUNT(&allowed));
		return -EINVAL;
	}
	return 0;
}

/* Only of vfio the kernel takes a card back, its DMA ended, when a process is killed. */
static int check_card(const char *address)
{
	char path[PATH_MAX], driver[PATH_MAX] = {};

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", address);
	if (readlink(path, driver, sizeof(driver) - 1) > 0 && !strcmp(basename(driver), "vfio-pci"))
		return 0;
	fprintf(stderr, "device=%s: not bound to vfio-pci; dpdk-devbind.py -b vfio-pci %s\n",
		address, address);
	return -EOPNOTSUPP;
}

/* It complains of the folder that it shall not make: its words matter where it fails. */
static int init(struct args *args)
{
	char *words = NULL;
	size_t bytes;
	FILE *log = open_memstream(&words, &bytes);
	int error = 0;

	if (!log || rte_openlog_stream(log))
		return -ENOMEM;
	if (rte_eal_init(args->count, args->values) < 0)
		error = -rte_errno;
	rte_openlog_stream(stderr);
	fclose(log);
	if (error) {
		fputs(words, stderr);
		runner_complain("DPDK", error);
	}
	free(words);
	return error;
}

int swx_eal_start(const struct swx_options *options)
{
	struct args args = {};
	int error = check_cores(options);

	if (error)
		return error;
	if (options->port == SWX_PCI && check_card(options->device))
		return -EOPNOTSUPP;
	if (options->hugepages && !free_hugepages()) {
		runner_complain("hugepages=true: none is free; "
				"sysctl vm.nr_hugepages=256, or do without",
				0);
		return -EOPNOTSUPP;
	}
	/* Else it makes a folder under /var/run that outlives it, though nothing is put there. */
	setenv("RUNTIME_DIRECTORY", "/dev/null", 1);
	/* Of several programs on one device libxdp keeps pins; there is one, and it needs none. */
	setenv("LIBXDP_SKIP_DISPATCHER", "1", 1);
	runner_quiet_libbpf();
	add(&args, "linerate");
	/* Without hugepages DPDK 22.11 refuses --in-memory, whose other half is --no-shconf. */
	if (options->hugepages) {
		add(&args, "--in-memory");
	} else {
		add(&args, "--no-huge");
		add(&args, "--no-shconf");
	}
	add(&args, "--no-telemetry");
	add(&args, "--file-prefix=linerate-%d", getpid());
	add(&args, "--log-level=error");
	add(&args, "-m");
	add(&args, "%d", (int)options->memory_mib);
	if (options->memory_channels) {
		add(&args, "-n");
		add(&args, "%d", (int)options->memory_channels);
	}
	add_lcores(&args, options);
	add_devices(&args, options);
	return init(&args);
}
