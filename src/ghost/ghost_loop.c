// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The ghost's progress loop: poll, measure, be quiet when idle. TPDS 3.1; docs/design/ghost.md.
//
// Load is measured: a turn that handled an operation takes longer than an idle one, whose time is
// learnt as the loop runs (a high quantile of all turns that brought no message), apart for turns
// in a row and turns after a nap, which find cold caches. A long one of these is a suspicion: the
// ghost looks on for a moment, and learns from it if nothing follows. Sleep is short and starts after
// CSP_GHOST_SPIN_US without work, or sooner where users compute, so that ghosts can share cores with users.
#include "ghost/ghost.h"

#include <sys/resource.h>
#include "base/clock.h"
#include "ghost/idle.h"
#include "runtime/am.h"
#include "runtime/node.h"
#include "runtime/peers.h"
#include "runtime/quirks.h"
#include "runtime/rt.h"
#include "runtime/wait.h"
#include "topo/place.h"

enum {
    SPIN_FREE_US = 20000,   // spin this long when every process of the node has a CPU,
    SPIN_NEEDED_NS = 10000, // and at most this long where users need it
    SLEEP_FIRST_NS = 2000,
    LET_IN_NS = 20000,          // the least of a nap for others' sake
    DEEP_AFTER_NS = 20000000,   // without work: naps become longer,
    UNUSED_FACTOR = 10,         // and longer still where nothing can come but from users who ring
    DOUBT_NS = 2000000,         // what one long turn after that is worth
    UNDER_WAY_NS = 20000,       // naps between the messages that make up one piece,
    UNDER_WAY_FOR_NS = 2000000, // as long as they come
    COLD_TURNS = 2,             // after a nap
    LOOK_NS = 50000,            // after a suspicion
    SLACK_NS = 1000,
    LONG_TURN_NS = 50000,
    PUBLISH_NS = 10000000, // between two publications of the load
};

static uint64_t awake_until_ns; // somebody asked for it

struct loop {
    struct csp_node_proc *me;
    struct csp_idle idle[2]; // [after a nap]
    int cold_turns;          // that still count as such
    uint64_t suspect_ns;     // a long turn after a nap: how long; 0: none
    uint64_t look_until;
    uint64_t begin, now, last_work, last_publish;
    uint64_t begin_cpu_ns;
    uint64_t busy_ns, sleep_ns, polls, busy_polls, messages; // whole life
    uint64_t busy_at_publish;
    uint64_t spin_ns, spin_alone_ns, nap_ns, nap_max_ns, deep_max_ns;
    uint64_t awake_since;
    int gives_way; // to a user that it woke
    int yields;    // if the MPI library does so when it is idle
    long switches; // involuntary ones, when a long turn was looked at last
};

static uint64_t spin_time_ns(void)
{
    if (csp_config.ghost_poll == CSP_CONFIG_GHOST_POLL_SPIN)
        return UINT64_MAX;
    uint64_t us = (uint64_t)csp_config.ghost_spin_us;
    if (csp_config.ghost_poll != CSP_CONFIG_GHOST_POLL_SLEEP && !csp_rt.crowded &&
        us < SPIN_FREE_US)
        us = SPIN_FREE_US;
    return us * 1000;
}

static void publish(struct loop *l)
{
    uint64_t period = l->now - l->last_publish;
    uint64_t load = period ? (l->busy_ns - l->busy_at_publish) * 1000 / period : 0;
    atomic_store_explicit(&l->me->load_permille, (uint32_t)(load > 1000 ? 1000 : load),
                          memory_order_relaxed);
    struct csp_stats *s = &l->me->stats;
    atomic_store_explicit(&s->loop_ns, l->now - l->begin, memory_order_relaxed);
    atomic_store_explicit(&s->busy_ns, l->busy_ns, memory_order_relaxed);
    atomic_store_explicit(&s->sleep_ns, l->sleep_ns, memory_order_relaxed);
    atomic_store_explicit(&s->cpu_ns, csp_clock_cpu_ns() - l->begin_cpu_ns, memory_order_relaxed);
    atomic_store_explicit(&s->polls, l->polls, memory_order_relaxed);
    atomic_store_explicit(&s->busy_polls, l->busy_polls, memory_order_relaxed);
    atomic_store_explicit(&s->messages, l->messages + csp_ghost_soft_messages(),
                          memory_order_relaxed);
    l->busy_at_publish = l->busy_ns;
    l->last_publish = l->now;
    csp_peers_check(l->now);
    csp_ghost_lock_watch(l->now);
}

// The report wants the last milliseconds, too: a short job has no others.
static void publish_for_report(struct loop *l)
{
    if (!atomic_load_explicit(&csp_rt.page->report, memory_order_relaxed) ||
        atomic_load_explicit(&l->me->reported, memory_order_relaxed))
        return;
    publish(l);
    atomic_store_explicit(&l->me->reported, 1, memory_order_release);
}

// A long turn without a message is no work if the scheduler took the core away in it.
static int was_preempted(struct loop *l, uint64_t took_ns)
{
    struct rusage usage;
    if (took_ns < LONG_TURN_NS || getrusage(RUSAGE_THREAD, &usage) != 0)
        return 0;
    int yes = usage.ru_nivcsw != l->switches;
    l->switches = usage.ru_nivcsw;
    return yes;
}

enum found { NOTHING, LONG_TURN, MESSAGES };

// Nothing followed.
static void drop_suspicion(struct loop *l)
{
    csp_idle_learn(&l->idle[1], l->suspect_ns);
    l->suspect_ns = 0;
}

// What a turn without a message was, by its time.
static enum found judge(struct loop *l, uint64_t took)
{
    int cold = l->cold_turns > 0;
    int is_long = csp_idle_exceeds(&l->idle[cold], took);
    if (cold && is_long) {
        if (l->suspect_ns)
            drop_suspicion(l);
        l->suspect_ns = took;
        l->look_until = l->now + LOOK_NS;
        l->cold_turns = 0;
        return NOTHING;
    }
    l->cold_turns -= cold;
    csp_idle_learn(&l->idle[cold], took);
    return is_long && !was_preempted(l, took) ? LONG_TURN : NOTHING;
}

// One turn: messages, then what they asked for.
static enum found turn(struct loop *l)
{
    uint64_t before = l->now;
    int n = csp_am_poll(64);
    int done = n + csp_ghost_lock_turn() + csp_ghost_win_turn() + csp_ghost_soft_turn() +
               csp_ghost_p2p_turn();
    int housekeeping =
        csp_ghost_route_turn(before) | csp_ghost_rate_turn(before) | csp_ghost_users_turn(before);
    l->now = csp_clock_ns();
    uint64_t took = l->now - before;
    enum found what = done > 0 ? MESSAGES : housekeeping ? NOTHING : judge(l, took);
    l->polls++;
    l->messages += (uint64_t)n;
    if (what != NOTHING) {
        l->busy_polls++;
        l->busy_ns += csp_idle_work_ns(took + l->suspect_ns);
        atomic_store_explicit(&l->me->busy_ns, l->busy_ns, memory_order_relaxed);
        l->suspect_ns = 0;
    } else if (l->suspect_ns && l->now >= l->look_until) {
        drop_suspicion(l);
    }
    return what;
}

// A long turn after a pause may be an operation, the first of many, or a cold cache: the ghost is
// attentive for a while, and fully awake if there is a second one.
static void note_work(struct loop *l, enum found what)
{
    int deep = l->now - l->last_work > DEEP_AFTER_NS;
    l->last_work = deep && what == LONG_TURN ? l->now - DEEP_AFTER_NS + DOUBT_NS : l->now;
    l->nap_ns = SLEEP_FIRST_NS;
}

static void on_awake(const struct csp_am *msg)
{
    uint64_t until = csp_clock_ns() + (uint64_t)msg->a;
    if (until > awake_until_ns)
        awake_until_ns = until;
}

static int carries_messages(void)
{
    return atomic_load_explicit(&csp_rt.page->flows, memory_order_relaxed) != 0;
}

// Who waits for a message is let in sooner by a ghost that yields, as Open MPI does where it is told to; who computes is let in for long.
static void follow_messages(struct loop *l)
{
    int carries = carries_messages();
    if (carries == l->yields)
        return;
    l->yields = carries;
    csp_quirks_yield(carries ? csp_rt.yielded : 0);
}

// Without a window and with messages left to the MPI library, no other node has something for this ghost.
static int is_used(void)
{
    return csp_config.trace[0] || atomic_load_explicit(&csp_rt.page->used, memory_order_relaxed) ||
           carries_messages();
}

// The longest nap now. Nobody rings when an accumulate's lock is free, which is soon. A piece that is on its way
// takes several messages of the MPI library's, unless its origin computes in the middle of them.
static uint64_t nap_most_ns(const struct loop *l)
{
    uint64_t idle_ns = l->now - l->last_work;
    if (csp_ghost_soft_waits_for_lock())
        return SLEEP_FIRST_NS;
    if (idle_ns > DEEP_AFTER_NS)
        return is_used() ? l->deep_max_ns : l->deep_max_ns * UNUSED_FACTOR;
    if (idle_ns < UNDER_WAY_FOR_NS && l->nap_max_ns > UNDER_WAY_NS &&
        !(csp_ghost_soft_idle() && csp_ghost_p2p_idle()))
        return UNDER_WAY_NS;
    return l->nap_max_ns;
}

// It was rung: by a user that waits, perhaps, and whose core is free.
static void heed(struct loop *l)
{
    if (csp_wait_has_cpu())
        l->last_work = l->now;
}

// A core that others share: FREE, as those sleep until a ghost rings them; NEEDED, as they compute.
enum core { USUAL, FREE, NEEDED };

static enum core core_now(const struct loop *l)
{
    if (csp_wait_has_cpu())
        return FREE;
    return !carries_messages() && csp_ghost_users_compute(l->now) ? NEEDED : USUAL;
}

static uint64_t spin_for_ns(const struct loop *l, enum core core)
{
    if (core == FREE && l->spin_ns < l->spin_alone_ns)
        return l->spin_alone_ns;
    return core == NEEDED && l->spin_ns > SPIN_NEEDED_NS ? SPIN_NEEDED_NS : l->spin_ns;
}

// Whether to spin on. A user that was just woken may need this core, unless that is free again.
static int is_attentive(struct loop *l, enum core core)
{
    l->gives_way |= csp_ghost_p2p_woke();
    l->gives_way &= csp_rt.crowded && core != FREE;
    return (l->now - l->last_work < spin_for_ns(l, core) && !l->gives_way) ||
           (l->now < awake_until_ns && core != NEEDED) || l->suspect_ns;
}

// The system lets a process that wakes wait for the next tick of its clock, 4 ms, if it had more of the core of late than the one
// that has it. On shared cores a ghost that is kept awake sleeps now and then all the same: who waits is let in at once then.
// Who waits for a message is rung, and the ghost gives way; a nap in the middle of a large one would cost it 0.4 ms.
static int lets_others_in(const struct loop *l, enum core core)
{
    uint64_t awake_ns = spin_for_ns(l, core);
    if (l->suspect_ns && awake_ns < LOOK_NS)
        awake_ns = LOOK_NS;
    return csp_rt.crowded && !carries_messages() && core != FREE &&
           l->now - l->awake_since > awake_ns;
}

// It slept since l->now.
static void note_sleep(struct loop *l)
{
    uint64_t now = csp_clock_ns();
    l->sleep_ns += now - l->now;
    l->now = l->awake_since = now;
    l->cold_turns = COLD_TURNS;
}

// A user whose call woke the ghost up has still not come back from that: the ghost has its core, and would have it until the
// message is through. It may compute, or post the next one, meanwhile; a shorter nap ends before the system has changed over.
static void let_back(struct loop *l)
{
    csp_bell_sleep_shared(&l->me->bell, csp_bell_rings(&l->me->bell), LET_IN_NS);
    note_sleep(l);
}

// Idle: spin on, or listen to the bell, look once more and sleep.
static void rest(struct loop *l)
{
    enum core core = core_now(l);
    int attentive = is_attentive(l, core);
    if (attentive && !lets_others_in(l, core)) {
        csp_cpu_relax();
        return;
    }
    uint32_t seen = csp_bell_seen(&l->me->bell, CSP_BELL_NAPS);
    enum found what = turn(l);
    if (what != NOTHING) {
        note_work(l, what);
        return;
    }
    uint64_t most = nap_most_ns(l);
    if (attentive && l->nap_ns < LET_IN_NS)
        l->nap_ns = LET_IN_NS;
    csp_bell_sleep(&l->me->bell, seen, l->nap_ns < most ? l->nap_ns : most);
    note_sleep(l);
    if (csp_bell_rings(&l->me->bell) != seen)
        heed(l);
    l->nap_ns = l->nap_ns * 2 > most ? most : l->nap_ns * 2;
}

// The users are done and every message that they sent was handled.
static int over(const struct loop *l)
{
    return atomic_load_explicit(&csp_rt.page->stop, memory_order_acquire) &&
           l->messages >= l->me->messages_due && csp_ghost_soft_idle() && csp_ghost_rate_over() &&
           csp_ghost_p2p_over();
}

void csp_ghost_loop(void)
{
    struct loop l = {.me = &csp_node_procs(csp_rt.page)[csp_rt.lrank]};
    l.nap_max_ns = (uint64_t)csp_config.ghost_sleep_max_us * 1000;
    l.deep_max_ns = (uint64_t)csp_config.ghost_deep_sleep_us * 1000;
    if (l.deep_max_ns < l.nap_max_ns)
        l.deep_max_ns = l.nap_max_ns;
    l.nap_ns = SLEEP_FIRST_NS;
    l.spin_ns = spin_time_ns();
    l.spin_alone_ns = csp_config.ghost_poll == CSP_CONFIG_GHOST_POLL_AUTO ? SPIN_FREE_US * 1000 : 0;
    csp_clock_slack(SLACK_NS);
    csp_place_short_slice();
    l.begin_cpu_ns = csp_clock_cpu_ns();
    l.begin = l.now = l.last_work = l.last_publish = csp_clock_ns();
    while (!over(&l)) {
        enum found what = turn(&l);
        if (what != NOTHING)
            note_work(&l, what);
        else
            rest(&l);
        if (csp_ghost_p2p_held_up() && csp_rt.crowded)
            let_back(&l);
        if (l.now - l.last_publish >= PUBLISH_NS)
            publish(&l);
        publish_for_report(&l);
        follow_messages(&l);
        csp_ghost_trace_turn(l.now);
    }
    publish(&l);
    csp_ghost_soft_stop();
    csp_ghost_p2p_stop();
    csp_ghost_route_stop();
    csp_ghost_rate_stop();
    csp_ghost_trace_stop();
    csp_ghost_users_stop();
}

void csp_ghost_start(void)
{
    csp_am_handle(CSP_AM_AWAKE, on_awake);
    csp_ghost_signals();
    csp_ghost_lock_start();
    csp_ghost_token_start();
    csp_ghost_win_start();
    csp_ghost_soft_start();
    csp_ghost_p2p_start();
    csp_ghost_route_start();
    csp_ghost_rate_start();
    csp_ghost_trace_start();
    csp_ghost_users_start();
}
