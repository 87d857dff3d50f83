/* SPDX-License-Identifier: Apache-2.0 */
/* How a generator hands its core over to a process of the device, and gets it back. */
#ifndef LINERATE_TRAFFIC_TURN_H
#define LINERATE_TRAFFIC_TURN_H

#include "run.h"

/* Leave the core to the device until every frame is back, or given up as lost. */
void traffic_await_return(struct generator *generator);

#endif
