/* SPDX-License-Identifier: Apache-2.0 */
/* Time of one pass through a program, by the kernel's test runs. */
#ifndef LINERATE_PASS_TIME_H
#define LINERATE_PASS_TIME_H

#include <bpf/bpf.h>

/*
 * CPU time of this thread for one pass over the data of the run, ns: the median of batches, so
 * that neither those who take the core away nor cold caches are in it. The call and the loop of a
 * test run are: some ns. Sets the run's repeat; its retval is the last pass's. 0 or -errno.
 */
int pass_time_take(int program_fd, struct bpf_test_run_opts *run, double *ns);

#endif
