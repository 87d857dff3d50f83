/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, numbers and bytes as a command line names them. */
#ifndef LINERATE_NSH_WORDS_H
#define LINERATE_NSH_WORDS_H

#include <linux/types.h>

/* "02:00:00:00:00:07"; 0 or -EINVAL, as all below. */
int nsh_parse_mac(const char *text, __u8 *mac);
/* Pairs of hexadecimal digits into at most bytes_max bytes; their number or -EINVAL. */
int nsh_parse_hex(const char *text, __u8 *bytes, int bytes_max);
/* A name (icmp, tcp, udp) or a number. */
int nsh_parse_protocol(const char *text, __u8 *protocol);

#endif
