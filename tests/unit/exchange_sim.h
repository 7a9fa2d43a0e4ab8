// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the exchanges of adaptive redirection cost in jobs of any size: runs the code of src/adapt (rounds.h, share.h,
// news.h, keep.h) for all nodes of a job at once. Time is virtual; the network is LogGP's.
#ifndef CSP_TESTS_EXCHANGE_SIM_H
#define CSP_TESTS_EXCHANGE_SIM_H

#include <stdint.h>

struct exchange_net {
    double latency_ns, overhead_ns; // of a message: on its way; of a processor's time at each end
    double byte_ns;                 // likewise at each end, for each byte
    double user_ns;                 // to write what was heard of a user into a table
};

/** A network of 1 us and 10 GB/s. */
extern const struct exchange_net exchange_net;

enum exchange_change { EXCHANGE_NONE, EXCHANGE_ONE, EXCHANGE_ALL }; // nodes with news

struct exchange_job {
    int users, per_node;
    enum exchange_change change;
};

struct exchange_fence {
    int nodes, steps;      // messages one behind the other until the last leader is through
    int messages;          // that a leader sends, at most
    double bytes, time_us; // likewise; until the last leader is through
    int wrong;             // users of whom a leader does not know the truth
};

/** A fence of all users under P: the leaders' part, who arrive together. */
struct exchange_fence exchange_fence(const struct exchange_job *job);

struct exchange_ghosts {
    int nodes, levels;      // of the tree
    double messages, bytes; // sent and received by the busiest ghost in an interval
    double busy;            // its share of time for that
    double stale_ms;        // from a change until all nodes know it, at most
    int wrong;              // predictions of which a node does not know the truth in the end
};

struct exchange_gsync {
    double interval_ms; // CSP_GSYNC_INT
    double look_ms;     // CSP_GHOST_DEEP_SLEEP_US: how long a ghost sleeps at most
    int intervals;      // in each of which the nodes' users change, at any time in it
};

struct exchange_ghosts exchange_ghosts(const struct exchange_job *job,
                                       const struct exchange_gsync *gsync);

enum exchange_targets { EXCHANGE_ONE_NODE, EXCHANGE_NEIGHBOURS, EXCHANGE_EVERYBODY };

struct exchange_routes_job {
    int users, per_node;
    enum exchange_targets targets; // of each node: the first node; 26 others; all others
    double interval_ms;            // CSP_PREDICT_INT
    int long_one_in;               // one wait in so many takes 200 times as long; 0: none
};

struct exchange_routes {
    int nodes;
    double
        found_ms; // from the first operation until 95 % of the routes are the cheaper ones; -1: never
    double followed_ms; // likewise from a change of what is cheaper
    // Between the two, while nothing changes:
    double messages, busy; // of the busiest ghost in an interval; its share of time for that
    double peak_messages, peak_busy; // likewise in the worst interval
    double stopped;                  // share of time that users wait for a change of the route
    double right;    // share of cheaper routes at the end of an interval, on average
    double leave_ms; // until all have left and ghosts can end; -1: never
    int wrong;       // letters under way then
};

/** `auto`, by measurement, in one window. */
struct exchange_routes exchange_routes(const struct exchange_routes_job *job);

#endif
