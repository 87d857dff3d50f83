/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of packets, as the programs that count it and their runner number it. */
#ifndef LINERATE_ENDS_H
#define LINERATE_ENDS_H

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
	ENDS,
};

#endif
