// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection by profile (CSP_ASYNC_CONFIG=auto, CSP_AUTO_METHOD=profile or profile_ghosts; TPDS 5.3): the user's side.
// What was predicted for each target when all processes of the window were last in a call together holds for
// accumulates, and, unless ghosts tell newer predictions, for PUT and GET. docs/design/adaptive.md.
#ifndef CSP_RMA_PROFILE_H
#define CSP_RMA_PROFILE_H

#include "rma/rma_op.h"
#include "rma/rma_win.h"
#include "runtime/am.h"
#include "runtime/predict.h"

/** 1: the operation goes to the target itself. `w` goes by profile. */
static inline int csp_profile_off(const struct csp_win *w, const struct csp_op *op)
{
    if (op->kind <= CSP_OP_GET && csp_predict_told())
        return csp_predict_off(w->peers[op->target].wrank);
    return w->profile[op->target];
}

/** Whether this process is predicted otherwise than the window knows. */
static inline int csp_profile_is_news(const struct csp_win *w)
{
    return w->profile && csp_predict_off(csp_rt.wrank) != w->profile[w->rank];
}

/** All processes of the window, with nothing under way and nothing issued before the end: takes over what is predicted
 * now, of all. */
void csp_profile_exchange(struct csp_win *w);

/** Handler of CSP_AM_PROFILE. */
void csp_profile_deliver(struct csp_win *w, const struct csp_am *msg);

#endif
