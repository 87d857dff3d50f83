// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "common/privileges.h"
#include "common/runner.h"
#include "own.h"

#define RETURN_MS 1000

int own_load(const struct xsk_options *options, struct xsk_worker *workers, size_t count)
{
	int fd = function_open(options->function), error;
	function_call call;
	size_t i;

	if (fd < 0)
		return fd;
	error = privileges_drop_of_thread();
	call = error ? NULL : function_load(fd, options->function, options->entry);
	close(fd);
	if (!call)
		return error ? error : -EINVAL;
	for (i = 0; i < count; i++) {
		workers[i].function = call;
		workers[i].state = function_state();
		if (!workers[i].state)
			return -ENOMEM;
	}
	return 0;
}

int own_check_return(const struct xsk_worker *worker)
{
	uint64_t done = worker->done;
	int waited;

	for (waited = 0; worker->begun != done && worker->done == done; waited++) {
		if (waited < RETURN_MS) {
			usleep(1000);
			continue;
		}
		fprintf(stderr,
			"entry=%s: it has not returned after %d ms; allowed: less; look for a "
			"loop without end\n",
			worker->options->entry, RETURN_MS);
		fflush(stderr);
		_exit(RUNNER_SETUP); /* its thread does not end */
	}
	return 0;
}
