// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The software route: operations that ghosts execute themselves, on windows whose memory they do not map
// (MPI_Win_create, MPI_Win_create_dynamic), and accumulates on others (w->acc_soft). docs/design/software.md.
// User role, any thread.
#ifndef CSP_RMA_SOFT_H
#define CSP_RMA_SOFT_H

#include "types/type.h"
#include "rma/rma_win.h"

/**
 * Issues an operation whose arguments are checked, at another process or by a ghost. `at`: bytes from the target's base, `type`: of the
 * target data, `bytes` of them; `basic` as csp_acc_check gives it; `route`: DIRECT means without a ghost.
 * @return MPI error code. Complete at the origin on return, but for results and long payloads: those by a flush.
 */
int csp_soft_issue(struct csp_win *w, const struct csp_op *op, const struct csp_type *type,
                   MPI_Datatype basic, MPI_Aint at, MPI_Aint bytes, enum csp_route route);

/** MPI_Finalize: frees what is kept for the next operation. */
void csp_soft_stop(void);

/** Before several flushes, for each ghost: it is asked what its flush would ask. @return MPI error code. */
int csp_soft_ask(int ghost);

/** Flush, flush_local of a ghost. @return MPI error code. */
int csp_soft_flush(struct csp_win *w, int ghost);
int csp_soft_flush_local(struct csp_win *w, int ghost);

#endif
