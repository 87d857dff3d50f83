// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/sha256.h"

#define BLOCK_BYTES 64
#define ROUNDS	    64

static const uint32_t constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t turn(uint32_t word, int bits)
{
	return word >> bits | word << (32 - bits);
}

static void expand(const uint8_t *block, uint32_t words[ROUNDS])
{
	int i;

	for (i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | block[4 * i + 1] << 16 |
			   block[4 * i + 2] << 8 | block[4 * i + 3];
	for (; i < ROUNDS; i++)
		words[i] = words[i - 16] + words[i - 7] +
			   (turn(words[i - 15], 7) ^ turn(words[i - 15], 18) ^ words[i - 15] >> 3) +
			   (turn(words[i - 2], 17) ^ turn(words[i - 2], 19) ^ words[i - 2] >> 10);
}

/* The eight letters of the standard, a to h, are state[0] to state[7]. */
static void add_block(uint32_t sum[8], const uint8_t *block)
{
	uint32_t words[ROUNDS], state[8], first, second;
	int i;

	expand(block, words);
	memcpy(state, sum, sizeof(state));
	for (i = 0; i < ROUNDS; i++) {
		first = state[7] + (turn(state[4], 6) ^ turn(state[4], 11) ^ turn(state[4], 25)) +
			((state[4] & state[5]) ^ (~state[4] & state[6])) + constants[i] + words[i];
		second = (turn(state[0], 2) ^ turn(state[0], 13) ^ turn(state[0], 22)) +
			 ((state[0] & state[1]) ^ (state[0] & state[2]) ^ (state[1] & state[2]));
		memmove(state + 1, state, 7 * sizeof(*state));
		state[4] += first;
		state[0] = first + second;
	}
	for (i = 0; i < 8; i++)
		sum[i] += state[i];
}

static int read_block(int fd, uint64_t offset, uint8_t *block)
{
	int filled = 0;
	ssize_t got;

	while (filled < BLOCK_BYTES) {
		got = pread(fd, block + filled, BLOCK_BYTES - filled, offset + filled);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		filled += got;
	}
	return filled;
}

static void add_end(uint32_t sum[8], uint8_t *block, int filled, uint64_t bits)
{
	int i;

	block[filled++] = 0x80;
	memset(block + filled, 0, BLOCK_BYTES - filled);
	if (filled > BLOCK_BYTES - 8) {
		add_block(sum, block);
		memset(block, 0, BLOCK_BYTES);
	}
	for (i = 0; i < 8; i++)
		block[BLOCK_BYTES - 1 - i] = bits >> 8 * i;
	add_block(sum, block);
}

int sha256_of_file(int fd, char hex[SHA256_HEX_BYTES])
{
	uint32_t sum[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint8_t block[BLOCK_BYTES];
	uint64_t bytes = 0;
	int filled, i;

	while ((filled = read_block(fd, bytes, block)) == BLOCK_BYTES) {
		add_block(sum, block);
		bytes += BLOCK_BYTES;
	}
	if (filled < 0)
		return filled;
	add_end(sum, block, filled, 8 * (bytes + filled));
	for (i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", sum[i]);
	return 0;
}
