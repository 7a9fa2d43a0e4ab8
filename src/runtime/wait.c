// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Waits with progress, quiet on shared cores, with a watchdog.
#include "runtime/wait.h"

#include <stdio.h>
#include "base/clock.h"
#include "runtime/am.h"
#include "runtime/cell.h"
#include "runtime/node.h"
#include "runtime/peers.h"
#include "runtime/rt.h"

enum {
    SPIN_CROWDED_NS = 50000, // without a message before the first sleep, when cores are shared
    SPIN_RUNG_NS = 2000,     // likewise, when a ring ends the sleep and the node has another core
    SPIN_FREE_NS = 20000000, // when every process has a core
    SPIN_FOUND_NS =
        200000, // when there is one for this process: the system may have it on another one's all the same
    SPIN_UNHEARD_NS =
        10000, // a ghost that is awake has taken what was posted by then, if it has a CPU
    SLEEP_MIN_NS = 5000,
    SLEEP_MAX_NS = 50000, // bounds how late a wait sees its condition,
    SLEEP_RUNG_NS =
        200000, // or, when that rings, how late the MPI library gets on with something else
    RING_WITHIN_NS = 100000, // a ghost that sleeps when a wait begins may have the core
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

static struct csp_bell *bell_of(int lrank)
{
    return &csp_node_procs(csp_rt.page)[lrank].bell;
}

// Of a process with several threads nobody knows whether all of them sleep.
int csp_wait_has_cpu(void)
{
    int awake = 0;
    if (!csp_rt.crowded || csp_stats_threads)
        return 0;
    for (int i = 0; i < csp_rt.page->nprocs && awake <= csp_rt.cpus; i++)
        awake += i < csp_rt.page->ng || i == csp_rt.lrank || !csp_bell_is_called(bell_of(i));
    return awake <= csp_rt.cpus;
}

// From now on this process counts as one that sleeps.
static void listen(struct csp_wait *w, uint64_t idle_for_ns)
{
    w->seen = csp_bell_seen(bell_of(csp_rt.lrank), w->rung ? CSP_BELL_IS_CALLED : CSP_BELL_NAPS);
    if (w->rung && idle_for_ns < RING_WITHIN_NS)
        csp_bell_ring(bell_of(csp_topo_bound_gidx(csp_rt.topo, csp_rt.wrank)));
}

// Until a ghost of this node rings, or for so long; the caller looks once more before.
static void nap(struct csp_wait *w, uint64_t idle_for_ns, uint64_t ns)
{
    struct csp_bell *bell = bell_of(csp_rt.lrank);
    w->listening = !w->listening;
    if (w->listening) {
        listen(w, idle_for_ns);
        return;
    }
    unsigned long slack = csp_clock_slack(SLACK_NS); // the thread is the program's
    if (csp_stats_threads)                           // others may sleep, too
        csp_bell_sleep_shared(bell, w->seen, ns);
    else
        csp_bell_sleep(bell, w->seen, ns);
    csp_clock_slack(slack);
}

// The ghost has not taken what this process posted: perhaps it waits for this CPU.
static int is_unheard(void)
{
    /* its own, from csp_cells_start */
    uint64_t off = atomic_load_explicit(&csp_node_procs(csp_rt.page)[csp_rt.lrank].ring_off,
                                        memory_order_relaxed);
    return off && !csp_ring_empty(csp_cell_memory(off));
}

static uint64_t spin_for_ns(const struct csp_wait *w)
{
    if (!csp_rt.crowded)
        return SPIN_FREE_NS;
    if (csp_wait_has_cpu())
        return is_unheard() ? SPIN_UNHEARD_NS : SPIN_FOUND_NS;
    if (w->rung)
        return csp_rt.cpus > 1 ? SPIN_RUNG_NS : 0;
    return SPIN_CROWDED_NS;
}

// Longer, the longer it was in vain; but one that is rung need not look.
static uint64_t nap_for_ns(const struct csp_wait *w, uint64_t in_vain_ns)
{
    uint64_t ns = in_vain_ns / 4 + SLEEP_MIN_NS;
    if (w->rung)
        return SLEEP_RUNG_NS;
    return ns > SLEEP_MAX_NS ? SLEEP_MAX_NS : ns;
}

void csp_wait_end(const struct csp_wait *w)
{
    if (w->listening && w->rung && !csp_stats_threads)
        csp_bell_answer(bell_of(csp_rt.lrank));
}

void csp_wait_rung(struct csp_wait *w, int rung, const void *by)
{
    if (rung != w->rung || by != w->rung_by) {
        csp_wait_end(w);
        w->listening = 0;
    }
    w->rung = rung;
    w->rung_by = by;
}

void csp_wait_turn(struct csp_wait *w)
{
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
    uint64_t idle_for_ns = now - w->idle_ns, spin_ns = spin_for_ns(w);
    if (idle_for_ns < spin_ns)
        csp_cpu_relax();
    else
        nap(w, idle_for_ns, nap_for_ns(w, idle_for_ns - spin_ns));
}
