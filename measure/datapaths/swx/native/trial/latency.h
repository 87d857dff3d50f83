/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies of one trial, in buckets. */
#ifndef LINERATE_SWX_LATENCY_H
#define LINERATE_SWX_LATENCY_H

#include <stdint.h>

/* Log-linear buckets, those of bpf/traffic.h: 32 to an octave. */
#define SWX_SUB_BITS 5
#define SWX_SUB	     (1 << SWX_SUB_BITS)
#define SWX_BUCKETS  1024

struct swx_latency {
	uint64_t sum_ns, max_ns;
	uint64_t counts[SWX_BUCKETS];
};

/* Buckets of a latency. */
unsigned int swx_bucket(uint64_t ns);
uint64_t swx_bucket_lower_ns(unsigned int bucket);
/* A member of a report's JSON object. */
void swx_print_latency(const struct swx_latency *latency);

#endif
