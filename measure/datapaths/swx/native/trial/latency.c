// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>

#include "latency.h"

unsigned int swx_bucket(uint64_t ns)
{
	unsigned int shift, bucket;

	if (ns < 2 * SWX_SUB)
		return ns;
	shift = 63 - __builtin_clzll(ns) - SWX_SUB_BITS;
	bucket = SWX_SUB * (shift + 1) + (ns >> shift) % SWX_SUB;
	return bucket < SWX_BUCKETS ? bucket : SWX_BUCKETS - 1;
}

uint64_t swx_bucket_lower_ns(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2 * SWX_SUB)
		return bucket;
	shift = bucket / SWX_SUB - 1;
	return (uint64_t)(SWX_SUB + bucket % SWX_SUB) << shift;
}

void swx_print_latency(const struct swx_latency *latency)
{
	const char *comma = "";
	int bucket;

	printf(", \"latency\": {\"sum_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"buckets\": [",
	       latency->sum_ns, latency->max_ns);
	for (bucket = 0; bucket < SWX_BUCKETS; bucket++)
		if (latency->counts[bucket]) {
			printf("%s[%" PRIu64 ", %" PRIu64 "]", comma, swx_bucket_lower_ns(bucket),
			       latency->counts[bucket]);
			comma = ", ";
		}
	printf("]}");
}
