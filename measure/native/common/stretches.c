// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "stretches.h"

#define QUANTILES 40

static int compare(const void *first, const void *second)
{
	double a = *(const double *)first, b = *(const double *)second;

	return (a > b) - (a < b);
}

void stretches_print(double *packet_ns, size_t count)
{
	size_t i;

	qsort(packet_ns, count, sizeof(*packet_ns), compare);
	printf("[");
	for (i = 0; count >= QUANTILES && i < QUANTILES; i++)
		printf("%s%.3f", i ? ", " : "", packet_ns[(2 * i + 1) * count / (2 * QUANTILES)]);
	printf("]");
}
