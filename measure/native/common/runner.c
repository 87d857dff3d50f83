// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "common/runner.h"

#define NICE_FIRST (-20)

int runner_die_with_parent(void)
{
	pid_t parent = getppid();

	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	/* It may have died between fork and prctl. */
	return getppid() == parent ? 0 : -ESRCH;
}

void runner_run_first(void)
{
	FILE *autogroup;

	setpriority(PRIO_PROCESS, 0, NICE_FIRST);
	if (getsid(0) != getpid())
		return;
	autogroup = fopen("/proc/self/autogroup", "we");
	if (!autogroup)
		return;
	fprintf(autogroup, "%d", NICE_FIRST);
	fclose(autogroup);
}

void runner_complain(const char *what, int error)
{
	if (error)
		fprintf(stderr, "%s: %s\n", what, strerror(-error));
	else
		fprintf(stderr, "%s\n", what);
}

uint64_t runner_now_ns(void)
{
	struct timespec now;

	/* The clock of bpf_ktime_get_ns(). */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int runner_pin(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

int runner_try_core(int core)
{
	cpu_set_t own;
	int error;

	if (sched_getaffinity(0, sizeof(own), &own))
		return -errno;
	error = runner_pin(core);
	if (!error && sched_setaffinity(0, sizeof(own), &own))
		error = -errno;
	return error;
}

static int print_warning(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

void runner_quiet_libbpf(void)
{
	libbpf_set_print(print_warning);
}

int runner_exit_code(int error)
{
	return error == -EPERM || error == -EOPNOTSUPP || error == -ENOTSUP ? RUNNER_CANNOT
									    : RUNNER_SETUP;
}
