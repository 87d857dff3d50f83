// SPDX-License-Identifier: Apache-2.0
/* Functions that do nothing but give their verdict: what remains is what AF_XDP takes itself. */
#include "measure/functions/include/linerate_function.h"

verdict drop(uint8_t *frame, uint32_t length, void *state)
{
	(void)frame;
	(void)length;
	(void)state;
	return LINERATE_DROP;
}

verdict tx(uint8_t *frame, uint32_t length, void *state)
{
	(void)frame;
	(void)length;
	(void)state;
	return LINERATE_TX;
}
