// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Which of two routes is better for a stream of operations, ON (a ghost executes them) or OFF (the
// target does), found by measuring both while the program runs: docs/design/adaptive.md. Pure code: a
// clock, work done and what it cost go in, the route to take comes out. One caller at a time.
#ifndef CSP_ADAPT_ADAPT_H
#define CSP_ADAPT_ADAPT_H

#include <stdint.h>

enum csp_adapt_route { CSP_ADAPT_ON, CSP_ADAPT_OFF, CSP_ADAPT_ROUTES };

static inline enum csp_adapt_route csp_adapt_other(enum csp_adapt_route r)
{
    return r == CSP_ADAPT_ON ? CSP_ADAPT_OFF : CSP_ADAPT_ON;
}

/** Why the route is what it is. */
enum csp_adapt_reason {
    CSP_ADAPT_START,  // nothing is known yet
    CSP_ADAPT_PROBE,  // to measure it
    CSP_ADAPT_BETTER, // a probe found it cheaper
    CSP_ADAPT_WORSE,  // a probe found the other one dearer, or no better: back
};

struct csp_adapt_config {
    uint64_t interval_ns;     // one measurement, at least
    uint64_t interval_calls;  // and at least so many calls
    uint64_t settle_ns;       // what is measured so soon after a change of the route says little
    double margin;            // a gain below this is none; binary logarithm of a ratio
    double change;            // a cost that moved by this is another phase; likewise
    double budget;            // share of the time that probes may lose
    uint64_t probe_every_ns;  // first pause between probes; doubles while they find nothing,
    uint64_t probe_seldom_ns; // up to this
    int by_order; // a probe that is due waits for csp_adapt_probe, and goes on until csp_adapt_decide
    int alternate; // nothing is measured: another route after each interval in which there was a call
};

/** What was done since the start. */
struct csp_adapt_done {
    uint64_t units; // of work, in any unit that stands for what one operation costs
    uint64_t calls; // that the program waited in, such as flushes
    // That it took the program, such as that it waited, in calls that go on too; of one process of several.
    uint64_t ns;
};

/** What is known of a route. */
struct csp_adapt_cost {
    double ns;  // for a unit of work; a running mean
    double dev; // mean, of the binary logarithm of one measurement: noise is a factor
    unsigned n; // measurements in the mean, saturating; 0: nothing is known
};

struct csp_adapt {
    struct csp_adapt_config config;
    struct csp_adapt_cost cost[CSP_ADAPT_ROUTES];
    // Of a unit; the caller's: a nanosecond, or less if `ns` is of one process of several.
    double least_ns;
    enum csp_adapt_route home, now; // chosen; in use (another one during a probe)
    enum csp_adapt_reason reason;
    int settles;                 // the route has just changed
    uint64_t since_ns;           // start of this measurement,
    struct csp_adapt_done since; // and what was done before it
    uint64_t part_ns;            // likewise of its last part
    struct csp_adapt_done part;
    uint64_t probe_at_ns, pause_ns; // the next probe; the last pause between two
    uint64_t probed_ns;             // when the last one ended
    unsigned credit;                // see forget(),
    int mixed;                      // and there too
    int odd;                        // the last measurement was far off: -1: cheaper, 1: dearer,
    double odd_ns;                  // and what it was
    int odd_part;                   // likewise the last part of one, very far
    double per_call;                // units, when the chosen route was measured last
    int spoilt;                     // the last probe: another phase began in it
    int tries;                      // measurements in this probe
    double lost_here_ns;            // by this probe
    int due;                        // `by_order`: a probe is wanted
    int urgent;                     // another phase has begun since the last one
    int tried;                      // `by_order`: this probe has shown what it can; it goes on
    double last_lost_ns;            // by it
    uint64_t switches;              // of `home`
    uint64_t probes;
    double lost_ns; // by probes
};

/** Values that suit operations of microseconds to milliseconds, for measurements of `interval_ns`; by default so long. */
struct csp_adapt_config csp_adapt_config_for(uint64_t interval_ns);
enum { CSP_ADAPT_INTERVAL_NS = 50000000 };

/** How often in an interval csp_adapt_step should be called: a measurement has so many parts. */
enum { CSP_ADAPT_REPORTS = 2 };

/** Starts with `route`, at `now_ns`. */
void csp_adapt_begin(struct csp_adapt *a, const struct csp_adapt_config *config,
                     enum csp_adapt_route route, uint64_t now_ns);

/** What was measured since the last step says nothing: the measurement begins now. */
void csp_adapt_restart(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done);

/** With `by_order`: a probe of the other route, unless nothing is known of this one or it is one. */
enum csp_adapt_route csp_adapt_probe(struct csp_adapt *a, uint64_t now_ns,
                                     struct csp_adapt_done done);

/** With `by_order`: whether a probe goes on that has not shown yet what it can. */
static inline int csp_adapt_is_trying(const struct csp_adapt *a)
{
    return a->now != a->home && !a->tried;
}

/** With `by_order`: the end of the probe, if there is one; what a user lost by it in all, also where others measured. */
void csp_adapt_decide(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done,
                      uint64_t lost_ns);

/** With `by_order`: how long the probe that is due may wait for others that want one. */
uint64_t csp_adapt_patience_ns(const struct csp_adapt *a);

/** To be called where the route may change, such as after a flush. @return the route from here on. */
enum csp_adapt_route csp_adapt_step(struct csp_adapt *a, uint64_t now_ns,
                                    struct csp_adapt_done done);

#endif
