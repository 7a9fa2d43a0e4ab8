// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Which of two routes is better for a stream of operations, ON (a ghost executes them) or OFF (the
// target does), found by measuring both while the program runs: docs/design/adaptive.md. Pure code: a
// clock and a count of work go in, the route to take comes out. One caller at a time.
#ifndef CSP_ADAPT_ADAPT_H
#define CSP_ADAPT_ADAPT_H

#include <stdint.h>

enum csp_adapt_route { CSP_ADAPT_ON, CSP_ADAPT_OFF, CSP_ADAPT_ROUTES };

/** Why the route is what it is. */
enum csp_adapt_reason {
    CSP_ADAPT_START,  // nothing is known yet
    CSP_ADAPT_PROBE,  // to measure it
    CSP_ADAPT_BETTER, // a probe found it cheaper
    CSP_ADAPT_WORSE,  // a probe found the other one dearer, or no better: back
};

struct csp_adapt_config {
    uint64_t interval_ns;     // one measurement, at least
    uint64_t interval_units;  // and at least so much work
    double margin;            // a gain below this share is none
    double change;            // a cost that moved by this share is another phase
    double budget;            // share of the time that probes may lose
    uint64_t probe_every_ns;  // first pause between probes; doubles while they find nothing,
    uint64_t probe_seldom_ns; // up to this
};

/** What is known of a route. */
struct csp_adapt_cost {
    double ns;  // wall time for a unit of work; a running mean
    double dev; // mean deviation of one measurement
    unsigned n; // measurements in the mean, saturating; 0: nothing is known
};

struct csp_adapt {
    struct csp_adapt_config config;
    struct csp_adapt_cost cost[CSP_ADAPT_ROUTES];
    enum csp_adapt_route home, now; // chosen; in use (another one during a probe)
    enum csp_adapt_reason reason;
    uint64_t since_ns, since_units; // start of this measurement
    uint64_t probe_at_ns, pause_ns; // the next probe; the last pause between two
    uint64_t probed_ns;             // when the last one ended
    unsigned credit;                // see forget(),
    int mixed;                      // and there too
    double last_lost_ns;            // by it
    uint64_t switches;              // of `home`
    uint64_t probes;
    double lost_ns; // by probes
};

/** Values that suit operations of microseconds to milliseconds. */
extern const struct csp_adapt_config csp_adapt_defaults;

/** Starts with `route`, at `now_ns`. */
void csp_adapt_begin(struct csp_adapt *a, const struct csp_adapt_config *config,
                     enum csp_adapt_route route, uint64_t now_ns);

/**
 * To be called where the route may change, such as after a flush. `units`: work completed since the start, in
 * any unit that stands for what one operation costs. @return the route from here on.
 */
enum csp_adapt_route csp_adapt_step(struct csp_adapt *a, uint64_t now_ns, uint64_t units);

#endif
