// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The steps of MPI_Init (init.c calls them in this order). Collective over the real world.
#ifndef CSP_RUNTIME_INIT_H
#define CSP_RUNTIME_INIT_H

#include "topo/topo.h"

/** Ends the job if an MPI call of the initialisation failed. */
void csp_init_must(int rc, const char *what);

/** Before MPI starts: warns when /dev/shm is nearly full, which MPI libraries answer with SIGBUS.
 */
void csp_init_check_room(void);

/** Finds out whether the job's processes outnumber their CPUs on this machine (csp_rt.crowded, csp_rt.cpus). */
void csp_init_crowded(void);

/** Makes and maps the node's pool segment and copies `topo` into it. @return 1, or 0 on every
 * process. */
int csp_init_segment(const struct csp_topo *topo);

/** User world and the internal communicators. */
void csp_init_world(void);

/**
 * The pool window over everybody, locked from here to finalize. Where the library can not create
 * it, csp_rt.pool_win is MPI_WIN_NULL on all processes and windows stay with the library.
 */
void csp_init_windows(void);

#endif
