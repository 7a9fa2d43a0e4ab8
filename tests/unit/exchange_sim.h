// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the exchanges of predictions cost in jobs of any size: runs the code of src/adapt (rounds.h, share.h, news.h)
// for all nodes of a job at once. Time is virtual; the network is LogGP's.
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

#endif
