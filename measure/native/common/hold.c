// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "hold.h"

int hold(int (*print)(void *of), void *of)
{
	char words[64];
	ssize_t length, i;
	int error;

	while ((length = read(STDIN_FILENO, words, sizeof(words))) > 0) {
		for (i = 0; i < length; i++) {
			if (words[i] != '\n')
				continue;
			error = print(of);
			if (error)
				return error;
		}
		if (fflush(stdout))
			return -errno;
	}
	return length < 0 ? -errno : 0;
}
