// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who carries the messages of a set of processes, the MPI library or ghosts: whichever needs less time from one collective
// call to the next. All of them feed it the same figures at the same call, so all decide alike. docs/design/twosided.md.
// Pure code.
#ifndef CSP_ADAPT_TRAFFIC_H
#define CSP_ADAPT_TRAFFIC_H

#include <stdint.h>

enum csp_traffic_state {
    CSP_TRAFFIC_SETTLE, // library: what has just begun is not judged
    CSP_TRAFFIC_WATCH,  // library: is there something to gain?
    CSP_TRAFFIC_WARM,   // ghosts: their first messages are not judged
    CSP_TRAFFIC_TRY,    // ghosts: do they gain it?
    CSP_TRAFFIC_KEEP,   // ghosts
    CSP_TRAFFIC_CHECK,  // library, for a while: would it be better by now?
};

// What happened since the last look; times and counts are averages over the processes.
struct csp_traffic_look {
    uint64_t calls; // collective calls
    uint64_t ns;    // time
    // of that: waits for large messages, as far as the computation before would have covered them
    uint64_t hidden_ns;
    uint64_t messages, elements; // sent
    int quiet;                   // every message has its receive: the way may change now
};

// What calls cost, and of which traffic.
struct csp_traffic_cost {
    double ns, messages, elements; // of one call
};

struct csp_traffic {
    int alternate;
    enum csp_traffic_state state;
    int asked, asks;       // the state that it waits to enter, plus 1; how often it asked
    uint32_t calls;        // until the next look
    uint32_t length, kept; // calls of an interval that can be judged; intervals of the next KEEP
    uint32_t left;         // of this one
    uint32_t fails, rest;  // attempts without gain, one after the other; looks to be let go by
    struct csp_traffic_cost library; // by the library, lately
    double ghosts_ns;                // of one call with ghosts
    double keep_ns, keep_calls;      // of this KEEP
    double ran_ns;                   // all
    double attempt_ns, attempts_ns;  // what attempts lost: the last one, all
};

/** `alternate`: the way changes at every chance, whatever it costs. */
void csp_traffic_init(struct csp_traffic *t, int alternate);

/** After t->calls collective calls. @return whether ghosts carry messages from now on. */
int csp_traffic_look(struct csp_traffic *t, const struct csp_traffic_look *l);

#endif
