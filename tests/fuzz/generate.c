// SPDX-License-Identifier: Apache-2.0
/* Generates the C code of a pipeline, as swx_build does, under AddressSanitizer. */
#include <stdio.h>

#include <rte_swx_pipeline.h>

int main(void)
{
	const char *why = "no reason given";
	uint32_t line = 0;

	if (!rte_swx_pipeline_codegen(stdin, stdout, &line, &why))
		return fflush(stdout) ? 3 : 0;
	fprintf(stderr, "line %u: %s\n", line, why);
	return 2;
}
