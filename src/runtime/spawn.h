// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Spawned jobs that have ghosts (CSP_SPAWN_NG): both sides get an intercommunicator without them.
#ifndef CSP_RUNTIME_SPAWN_H
#define CSP_RUNTIME_SPAWN_H

#include "runtime/mpi_table.h"

/** Finds out whether this job was spawned (csp_rt.spawned). */
void csp_spawn_detect(void);

/**
 * A spawned job tells its parents how many ghosts it wants on each node. Collective over the real world.
 * @return how many it may have: none if the parents do not run with Casper.
 */
int csp_spawn_announce(int ng);

/** Makes the intercommunicator anew. Collective over the real world and the parents, once; nothing to do if no
 * ghosts were announced. */
void csp_spawn_part(void);

/** MPI_Comm_get_parent. */
int csp_spawn_parent(MPI_Comm *parent);

/**
 * The parents' side, after the library's MPI_Comm_spawn: replaces `children` if there are ghosts among them. Waits
 * some seconds for programs that do not run with Casper. Collective over `comm`. @return an MPI error code.
 */
int csp_spawn_adopt(MPI_Comm comm, MPI_Comm *children);

#endif
