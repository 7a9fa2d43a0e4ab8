// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p_room.h"

#include "runtime/rt.h"

enum {
    STEP = 16 << 20,
    ALIGN = 64,
    OWN = 4096
}; // OWN: more than the heap needs for itself around a block

// Several processes may be here at once: they come to the same end, or one of them to a later one.
static int grow(uint64_t bytes)
{
    uint64_t end = csp_heap_end(csp_rt.messages);
    uint64_t larger = end + (bytes + OWN + STEP - 1) / STEP * STEP;
    if (larger > csp_rt.pool.span || csp_seg_grow(&csp_rt.pool_key, larger) != CSP_OK)
        return 0;
    csp_heap_extend(csp_rt.messages, larger);
    return 1;
}

uint64_t csp_room_take(uint64_t bytes)
{
    uint64_t off;
    do
        off = csp_heap_alloc(csp_rt.messages, bytes, ALIGN);
    while (off == CSP_OFF_NONE && grow(bytes)); // others may have been faster
    return off;
}

void csp_room_give(uint64_t off)
{
    csp_heap_free(csp_rt.messages, off);
}
