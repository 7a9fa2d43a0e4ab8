// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See rma_nudge.h. A ghost of another node cannot be rung, and over some MPI libraries it cannot
// tell a poll that did a short operation from one that did nothing. Whoever waits for it can tell.
#include "rma/rma_nudge.h"

#include <stdatomic.h>
#include "base/clock.h"
#include "runtime/am.h"
#include "runtime/rt.h"

enum {
    SLOW_NS = 25000,   // from the first operation to the end of the flush: perhaps it was asleep
    CLOSE_NS = 200000, // from one flush to the next operation, if they belong together
    RUN_NS = 5000000,  // something slow is remembered for this long
    EVERY_NS = 150000, // between messages
    AWAKE_NS = 400000, // asked for, if the last flush did not take longer,
    AWAKE_MAX_NS = 20000000,
    SLOTS = 64, // ghosts share them by number; that a slot is shared does no harm
};

static struct {
    _Atomic uint64_t first_ns; // when the first operation since the last flush began; or 0
    _Atomic uint64_t last_end_ns, slow_until_ns, sent_ns;
} slots[SLOTS];

#define GET(field) atomic_load_explicit(&slots[i].field, memory_order_relaxed)
#define SET(field, value) atomic_store_explicit(&slots[i].field, value, memory_order_relaxed)

void csp_nudge_issue(int ghost)
{
    int i = ghost % SLOTS;
    if (GET(first_ns) == 0)
        SET(first_ns, csp_clock_ns());
}

static uint64_t awake_ns(uint64_t took_ns)
{
    uint64_t ns = took_ns + took_ns / 2;
    return ns < AWAKE_NS ? AWAKE_NS : ns > AWAKE_MAX_NS ? AWAKE_MAX_NS : ns;
}

// Even a message that asks for no time shows the ghost that it is in use.
static void ask(int ghost, uint64_t ns)
{
    struct csp_am msg = {.type = CSP_AM_AWAKE, .a = (int32_t)ns};
    csp_am_send(csp_topo_ghosts(csp_rt.topo)[ghost], &msg);
}

void csp_nudge_flushed(int ghost, uint64_t now)
{
    if (ghost / csp_rt.topo->ng == csp_rt.node)
        return; // the bell does it
    int i = ghost % SLOTS;
    uint64_t first = GET(first_ns), last = GET(last_end_ns);
    SET(first_ns, 0);
    SET(last_end_ns, now);
    if (first == 0)
        return;
    int slow = now > first + SLOW_NS;
    if (slow)
        SET(slow_until_ns, now + RUN_NS);
    if (now > GET(slow_until_ns) || now < GET(sent_ns) + EVERY_NS)
        return;
    int close = first < last + CLOSE_NS;
    if (!close && !slow)
        return;
    SET(sent_ns, now);
    ask(ghost, close ? awake_ns(now - first) : 0);
}
