/* SPDX-License-Identifier: Apache-2.0 */
/* The program that feeds others, loaded for one program under test. */
#ifndef LINERATE_OBJECT_FEEDING_H
#define LINERATE_OBJECT_FEEDING_H

#include <stdint.h>

#include "common/frames.h"

struct bpf_object;
struct bpf_program;

#define FEEDING_BYTES 60 /* a test run takes no less than an Ethernet header; a lab sends 60 */

struct feeding {
	struct bpf_object *object;
	volatile struct feed_turn *turn;
	int feed_fd;
	uint32_t ifindex; /* that frames come in by, as the program sees it; 0: any */
	int is_tc;
	char packet[FEEDING_BYTES]; /* what a test run begins with; each frame replaces it */
	uint32_t last_packet_bytes; /* of the last frame that was fed, when it came back */
};

/* Load it such that it may call tested; 0 or -errno with the reason on stderr. */
int feeding_open(struct feeding *feeding, const char *path, const struct bpf_program *tested,
		 const struct frames *frames);
/* Set what runs in turn. */
int feeding_plan(struct feeding *feeding, const struct feed_segment *segments, uint32_t count);
/* Run so many frames from the first segment on; *verdict is that of the last, or NULL. */
int feeding_run(struct feeding *feeding, uint32_t runs, uint32_t *verdict);
/* ns that each segment took, in the order they ran; 0 or -errno. */
int feeding_samples(struct feeding *feeding, uint32_t *samples, uint32_t count);
void feeding_close(struct feeding *feeding);

#endif
