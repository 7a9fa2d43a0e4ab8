// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Waits with progress, quiet on shared cores, with a watchdog.
#include "runtime/wait.h"

#include <stdio.h>
#include "base/clock.h"
#include "runtime/am.h"
#include "runtime/node.h"
#include "runtime/peers.h"
#include "runtime/rt.h"

enum {
    SPIN_CROWDED_NS = 50000, // without a message before the first sleep, when cores are shared
    SPIN_FREE_NS = 20000000, // when every process has a core
    SLEEP_MIN_NS = 5000,
    SLEEP_MAX_NS = 50000, // bounds how late a wait sees its condition
    SLACK_NS = 1000,
    LOOK_NS = 10000000, // between two looks at the alarm and at the other processes
};

static void alarm_speak(struct csp_wait *w, uint64_t now)
{
    char text[160];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof(text), w->what, w->a, w->b, w->c);
#pragma GCC diagnostic pop
    csp_warn("waiting for %.1f s: %s", (double)(now - w->begin_ns) * 1e-9, text);
    if (csp_config.watchdog_abort)
        csp_rt_die(1);
}

static void alarm_check(struct csp_wait *w, uint64_t now)
{
    uint64_t patience_ns = (uint64_t)csp_config.watchdog_s * 1000000000u;
    w->look_ns = now + LOOK_NS;
    if (w->begin_ns == 0) {
        w->begin_ns = now;
        w->alarm_ns = now + patience_ns;
        return;
    }
    csp_peers_check(now);
    if (patience_ns == 0 || now < w->alarm_ns)
        return;
    alarm_speak(w, now);
    w->alarm_ns = now + patience_ns;
}

// Until a ghost of this node rings, or for so long; the caller looks once more before.
static void nap(struct csp_wait *w, uint64_t ns)
{
    struct csp_bell *bell = &csp_node_procs(csp_rt.page)[csp_rt.lrank].bell;
    w->listening = !w->listening;
    if (w->listening) {
        w->seen = csp_bell_seen(bell);
        return;
    }
    unsigned long slack = csp_clock_slack(SLACK_NS); // the thread is the program's
    ns = ns > SLEEP_MAX_NS ? SLEEP_MAX_NS : ns;
    if (csp_stats_threads) // others may sleep, too
        csp_bell_sleep_shared(bell, w->seen, ns);
    else
        csp_bell_sleep(bell, w->seen, ns);
    csp_clock_slack(slack);
}

void csp_wait_turn(struct csp_wait *w)
{
    uint64_t spin_ns = csp_rt.crowded ? SPIN_CROWDED_NS : SPIN_FREE_NS;
    int came = csp_am_poll(16) > 0;
    uint64_t now = csp_clock_ns();
    if (now >= w->look_ns) // of the first turn, too
        alarm_check(w, now);
    if (came) {
        w->idle_ns = 0;
        return;
    }
    if (w->idle_ns == 0)
        w->idle_ns = now;
    if (now - w->idle_ns < spin_ns) {
        csp_cpu_relax();
        return;
    }
    nap(w, (now - w->idle_ns - spin_ns) / 4 + SLEEP_MIN_NS); // longer, the longer it was in vain
}
