// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include "handover.h"

/* Nothing moved for so long: what is still out there does not come back. */
#define PATIENCE_MS 20

static int64_t count_on_their_way(const struct generator *generator)
{
	const volatile struct traffic_lane *lane = &generator->bpf->bss->lanes[generator->core];
	const volatile struct traffic_sink *sink = &generator->bpf->bss->sinks[generator->core];
	uint64_t back = generator->lost, sent = 0;
	int i;

	for (i = 0; i < TRAFFIC_PHASES; i++) {
		sent += lane->sent[i];
		back += sink->received[i];
	}
	return sent - back;
}

/*
 * Asleep, for whoever sends the frames back is on this core: no scheduler leaves it to
 * another thread as surely for a yield. The counter may have been raised before all
 * frames had arrived, so one that is up says only that it is time to count again.
 */
static int is_woken(struct generator *generator)
{
	struct pollfd raised = { .fd = generator->wake_fd, .events = POLLIN };
	uint64_t times;

	if (poll(&raised, 1, PATIENCE_MS) <= 0)
		return 0;
	if (read(generator->wake_fd, &times, sizeof(times)) != sizeof(times))
		return 0;
	generator->lost += times >> 32; /* the device says of these that they ended in it */
	return 1;
}

void traffic_await_return(struct generator *generator)
{
	const volatile uint32_t *phase = &generator->bpf->bss->phase;
	int64_t before, left = count_on_their_way(generator);

	while (left > 0 && *phase != TRAFFIC_STOP) {
		before = left;
		if (!is_woken(generator) && count_on_their_way(generator) == before)
			generator->lost += before;
		left = count_on_their_way(generator);
	}
	/* Some that were given up came back after all. */
	if (left < 0)
		generator->lost += left;
}
