/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LINERATE_XSK_REDIRECT_H
#define LINERATE_XSK_REDIRECT_H

/* Receive queues that may have a socket; frames of a higher one go to the stack. */
#define XSK_REDIRECT_QUEUES_MAX 64

#endif
