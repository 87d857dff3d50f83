// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel_code.h"

#define LINE_BYTES 512

/* Parts have the compiler's suffix, such as ".cold". */
static int is_part(const char *symbol, const char *function)
{
	size_t length = strlen(function);

	return !strncmp(symbol, function, length) && (!symbol[length] || symbol[length] == '.');
}

/* In /proc/kallsyms symbols stand by address: a part ends where the next symbol begins. */
int kernel_code_find(const char *function, struct ends_code *code)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[LINE_BYTES], symbol[LINE_BYTES];
	int parts = 0, open = 0;
	uint64_t address;

	*code = (struct ends_code){};
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 " %*c %511s", &address, symbol) != 2)
			continue;
		if (open)
			code->behind[parts++] = address;
		open = parts < ENDS_PARTS && is_part(symbol, function);
		if (open)
			code->first[parts] = address;
		else if (parts == ENDS_PARTS)
			break;
	}
	fclose(file);
	return 0;
}
