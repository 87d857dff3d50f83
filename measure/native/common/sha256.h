/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) of a file, by which compiled pipelines are known. */
#ifndef LINERATE_SHA256_H
#define LINERATE_SHA256_H

#define SHA256_HEX_BYTES 65 /* with the closing zero */

/* Of all bytes of a file, from its beginning; 0 or -errno. */
int sha256_of_file(int fd, char hex[SHA256_HEX_BYTES]);

#endif
