// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/sealed.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int copy(int from, int to)
{
	struct stat status;
	off_t at = 0;
	ssize_t sent = 1;

	if (fstat(from, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size > SEALED_BYTES_MAX)
		return -EFBIG;
	while (at < status.st_size && sent > 0)
		sent = sendfile(to, from, &at, status.st_size - at);
	return sent < 0 || fcntl(to, F_ADD_SEALS, SEALS) ? -errno : 0;
}

int sealed_copy(const char *path, const char *name)
{
	int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), to, error;

	if (from < 0)
		return -errno;
	to = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	error = to < 0 ? -errno : copy(from, to);
	close(from);
	if (!error)
		return to;
	if (to >= 0)
		close(to);
	return error;
}

void sealed_path(int fd, char path[SEALED_PATH_BYTES])
{
	snprintf(path, SEALED_PATH_BYTES, "/proc/self/fd/%d", fd);
}
