// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <unistd.h>

#include "common/hold.h"

void chain_hold(void (*print)(void *of), void *of)
{
	char words[64];
	ssize_t length, i;

	while ((length = read(STDIN_FILENO, words, sizeof(words))) > 0) {
		for (i = 0; i < length; i++)
			if (words[i] == '\n')
				print(of);
		fflush(stdout);
	}
}
