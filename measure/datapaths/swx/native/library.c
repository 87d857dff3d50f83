// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/runner.h"
#include "common/sha256.h"
#include "library.h"

#define LIBRARY_BYTES_MAX (64 << 20)
#define SEALS		  (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int copy(int from, int to)
{
	struct stat status;
	off_t at = 0;
	ssize_t sent = 1;

	if (fstat(from, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size > LIBRARY_BYTES_MAX)
		return -EFBIG;
	while (at < status.st_size && sent > 0)
		sent = sendfile(to, from, &at, status.st_size - at);
	if (sent < 0 || fcntl(to, F_ADD_SEALS, SEALS))
		return -errno;
	return 0;
}

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

int swx_library_open(const struct swx_options *options, char path[SWX_LIBRARY_PATH_BYTES])
{
	int from = open(options->library, O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("pipeline.so", MFD_CLOEXEC | MFD_ALLOW_SEALING), error;

	if (from < 0 || fd < 0) {
		runner_complain(options->library, -errno);
		return -errno;
	}
	error = copy(from, fd);
	close(from);
	if (error)
		runner_complain(options->library, error);
	else
		error = check(options, fd);
	snprintf(path, SWX_LIBRARY_PATH_BYTES, "/proc/self/fd/%d", fd);
	return error;
}
