/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of packets, as the programs that count it and their runner number it. */
#ifndef LINERATE_ENDS_H
#define LINERATE_ENDS_H

#include <linux/types.h>

/* Begins with the kernel's numbers of verdicts. */
enum end {
	END_ABORTED,
	END_DROP,
	END_PASS,
	END_TX,
	END_REDIRECT,
	END_VERDICTS,
	END_UNSENT = END_VERDICTS, /* of XDP_TX: it could not be sent */
	END_UNDIRECTED,		   /* of XDP_REDIRECT: it could not be redirected */
	END_UNTAKEN,		   /* of XDP_REDIRECT: the other CPU took no more */
	END_TO_CPU,		   /* of XDP_REDIRECT: by no device */
	ENDS,
};

#define ENDS_CPUMAPS_MAX 4
#define ENDS_PARTS	 2 /* of a function: the compiler puts what rarely runs apart */

/* Addresses of a function's parts; none where the kernel does not say. */
struct ends_code {
	__u64 first[ENDS_PARTS];
	__u64 behind[ENDS_PARTS];
};

struct ends_settings {
	__u64 netns; /* inode of the device's network namespace */
	struct ends_code receive;
	struct ends_code redirect;
	__u32 program_id; /* under test */
	__u32 ifindex;
	__u32 cpumaps[ENDS_CPUMAPS_MAX]; /* of the object under test; 0: none */
};

#endif
