// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Ties the roles to the runtime, which knows nothing of the layers above it.
#include "ghost/ghost.h"
#include "p2p/p2p.h"
#include "report/report.h"
#include "req/req.h"
#include "rma/rma_auto.h"
#include "rma/rma_flow.h"
#include "rma/rma_soft.h"
#include "rma/rma_spare.h"
#include "rma/rma_win.h"
#include "runtime/rt.h"

static void user_start(void)
{
    csp_report_start();
    csp_rma_start();
    csp_p2p_start();
}

static void user_stop(void)
{
    csp_p2p_stop();
    csp_req_stop();
    csp_report_write();
    csp_auto_stop();
    csp_spare_stop();
    csp_flow_stop();
    csp_soft_stop();
}

const struct csp_roles csp_roles = {
    .before = csp_ghost_signals_before,
    .user_start = user_start,
    .user_stop = user_stop,
    .ghost_start = csp_ghost_start,
    .ghost_loop = csp_ghost_loop,
};
