// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "common/runner.h"
#include "common/sealed.h"
#include "measure/functions/include/linerate_function.h"
#include "loading.h"

int function_open(const char *path)
{
	int fd = sealed_copy(path, "function.so");

	if (fd < 0)
		runner_complain(path, fd);
	return fd;
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
	char copy_path[SEALED_PATH_BYTES];
	function_call call;
	void *library;

	sealed_path(fd, copy_path);
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
