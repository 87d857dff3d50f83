// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/runner.h"
#include "measure/functions/include/linerate_function.h"
#include "loading.h"

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
	return sent < 0 || fcntl(to, F_ADD_SEALS, SEALS) ? -errno : 0;
}

int function_open(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), fd, error;

	if (from < 0) {
		error = -errno;
		runner_complain(path, error);
		return error;
	}
	fd = memfd_create("function.so", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	error = fd < 0 ? -errno : copy(from, fd);
	close(from);
	if (!error)
		return fd;
	runner_complain(path, error);
	if (fd >= 0)
		close(fd);
	return error;
}

/* The loader names our copy: say the user's name for it. */
static void complain(const char *path, const char *copy_path)
{
	const char *words = dlerror();

	if (words && !strncmp(words, copy_path, strlen(copy_path)) &&
	    words[strlen(copy_path)] == ':')
		words += strlen(copy_path) + 2;
	fprintf(stderr,
		"function=%s: it cannot be loaded (%s); allowed: a shared object whose libraries "
		"this machine has; install them, or link them into it\n",
		path, words ? words : "no reason was given");
}

function_call function_load(int fd, const char *path, const char *entry)
{
	char copy_path[32];
	function_call call;
	void *library;

	snprintf(copy_path, sizeof(copy_path), "/proc/self/fd/%d", fd);
	library = dlopen(copy_path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		complain(path, copy_path);
		return NULL;
	}
	*(void **)&call = dlsym(library, entry);
	if (!call)
		fprintf(stderr,
			"entry=%s: %s has no such function; allowed: one that it exports; correct it\n",
			entry, path);
	return call;
}

void *function_state(void)
{
	void *state = mmap(NULL, LINERATE_STATE_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return state == MAP_FAILED ? NULL : state;
}
