// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Spawned jobs that have ghosts (CSP_SPAWN_NG): both sides get an intercommunicator without them.
#ifndef CSP_RUNTIME_SPAWN_H
#define CSP_RUNTIME_SPAWN_H

#include <stddef.h>
#include "runtime/mpi_table.h"

/** Finds out whether this job was spawned (csp_rt.spawned). Collective over the real world. */
void csp_spawn_detect(void);

/** Where this job writes `name`, a file or directory that the environment names: a spawned job has the environment of its
 * parents, and adds .spawned-PID. */
void csp_spawn_file(char *path, size_t bytes, const char *name);

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
