// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Memory for messages under way in the node's segment, apart from the pool, so that windows can not take it nor messages that of
// windows. It grows as far as the node has memory. User role, any thread.
#ifndef CSP_P2P_ROOM_H
#define CSP_P2P_ROOM_H

#include <stdint.h>

/** @return offset of so many bytes, a multiple of 64, or CSP_OFF_NONE. */
uint64_t csp_room_take(uint64_t bytes);

void csp_room_give(uint64_t off);

#endif
