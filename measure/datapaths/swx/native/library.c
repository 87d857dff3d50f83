// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/runner.h"
#include "common/sha256.h"
#include "library.h"

static int check(const struct swx_options *options, int fd)
{
	char hex[SHA256_HEX_BYTES];
	int error = sha256_of_file(fd, hex);

	if (error || !strcmp(hex, options->library_sha256))
		return error;
	fprintf(stderr,
		"library=%s: its SHA-256 is %s; allowed: %s, what swx_build made; compile it anew\n",
		options->library, hex, options->library_sha256);
	return -EINVAL;
}

int swx_library_open(const struct swx_options *options, char path[SEALED_PATH_BYTES])
{
	int fd = sealed_copy(options->library, "pipeline.so");

	if (fd < 0) {
		runner_complain(options->library, fd);
		return fd;
	}
	sealed_path(fd, path);
	return check(options, fd);
}
