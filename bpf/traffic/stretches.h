/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a packet took in each of many short stretches: others disturb some of a trial. */
#ifndef LINERATE_TRAFFIC_STRETCHES_H
#define LINERATE_TRAFFIC_STRETCHES_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "traffic.h"

/* Packets after which a stretch may end, a whole batch or window; 0: none is timed. */
const volatile __u32 stretch_step = 0;
__u32 stretches_ns[TRAFFIC_CORES_MAX][TRAFFIC_STRETCHES] = {};

/* Time some packets together, again and again, while the phase that counts is on. */
static __always_inline void time_stretch(struct traffic_lane *lane, __u32 core, __u32 now_phase)
{
	__u64 now_ns, lasted_ns;

	if (lane->sequence % stretch_step || now_phase != TRAFFIC_MEASURED)
		return;
	now_ns = bpf_ktime_get_ns();
	lasted_ns = now_ns - lane->stretch_began_ns;
	if (lane->stretch_began_ns && lasted_ns < TRAFFIC_STRETCH_NS)
		return;
	if (lane->stretch_began_ns)
		stretches_ns[core][lane->stretches++ % TRAFFIC_STRETCHES] =
			lasted_ns * TRAFFIC_STRETCH_OF / (lane->sequence - lane->stretch_first);
	lane->stretch_began_ns = now_ns;
	lane->stretch_first = lane->sequence;
}

#endif
