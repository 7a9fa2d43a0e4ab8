// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection by profile (CSP_AUTO_METHOD): what is predicted for each user of the job, a byte in every node's segment. A
// node's first ghost writes those of its own users (ghost/ghost_rate.c), and, with profile_ghosts, those that others
// tell it. Read by plain loads. docs/design/adaptive.md.
#ifndef CSP_RUNTIME_PREDICT_H
#define CSP_RUNTIME_PREDICT_H

#include <stdatomic.h>
#include <stdint.h>
#include "runtime/quirks.h"
#include "runtime/rt.h"

/** Whether ghosts tell each other. */
static inline int csp_predict_told(void)
{
    return csp_config.auto_method == CSP_CONFIG_AUTO_METHOD_PROFILE_GHOSTS;
}

/** Whether anybody needs predictions: CSP_AUTO_METHOD is one of the profiles, and routes may change. The same on all
 * processes. */
static inline int csp_predict_used(void)
{
    return (csp_config.auto_method == CSP_CONFIG_AUTO_METHOD_PROFILE || csp_predict_told()) &&
           !csp_quirks.fixed_routes;
}

/** CSP_PREDICT_INT, in nanoseconds. */
uint64_t csp_predict_interval_ns(void);

struct csp_predictions {
    _Atomic uint8_t *off; // [place]: 1: operations on this user should go to itself
    const int32_t *first; // place of a node's first user; [nnodes]: number of users
};
extern struct csp_predictions csp_predictions; // in use between csp_predict_start and _stop

/** Every process, once the segment is there. */
void csp_predict_start(void);
void csp_predict_stop(void);

/** The prediction for a user. */
static inline int csp_predict_off(int wrank)
{
    const struct csp_topo *t = csp_rt.topo;
    int place =
        csp_predictions.first[csp_topo_node_of_wrank(t)[wrank]] + csp_topo_place_of_wrank(t, wrank);
    return atomic_load_explicit(&csp_predictions.off[place], memory_order_relaxed);
}

#endif
