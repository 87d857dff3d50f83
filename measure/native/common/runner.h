/* SPDX-License-Identifier: Apache-2.0 */
/* What every runner does alike: exit codes, life time, clock, cores. */
#ifndef LINERATE_RUNNER_H
#define LINERATE_RUNNER_H

#include <stdint.h>

enum runner_exit {
	RUNNER_DONE = 0,
	RUNNER_USAGE = 2,
	RUNNER_SETUP = 3,
	RUNNER_CANNOT = 4,
};

/* End with our parent, even when it is killed; -errno if it is gone already. */
int runner_die_with_parent(void);
/*
 * Before other processes, yet as one of them: all our threads share the priority, so
 * the one that stops the others still gets to run. With autogroups a session's nice
 * value counts; it is ours alone when we lead the session. Failing costs no more than
 * contention, which is measured.
 */
void runner_run_first(void);
/* Print "<what>: <error>" to stderr; error is a negative errno or 0. */
void runner_complain(const char *what, int error);
uint64_t runner_now_ns(void);
int runner_pin(int core);
/* Refuse a core that is not there, or not ours; the caller stays where it was. */
int runner_try_core(int core);
/* Keep libbpf quiet but for warnings. */
void runner_quiet_libbpf(void);
/* The exit code for a failed load or attach: cannot here for lack of support or rights. */
int runner_exit_code(int error);

#endif
