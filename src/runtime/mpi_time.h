// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// How long this process is in MPI: measured by every wrapper, for redirection by profile (adapt/rate.h). Any thread
// of a user; with several threads, the time during which at least one of them is in MPI.
#ifndef CSP_RUNTIME_MPI_TIME_H
#define CSP_RUNTIME_MPI_TIME_H

#include "adapt/rate.h"

/** Calls are measured into `calls`, this process's record in the node segment, from MPI_Init to MPI_Finalize; the part of
 * them in which it waits for operations into `waits`, if not NULL. */
void csp_mpi_time_start(struct csp_mpi_time *calls, struct csp_mpi_time *waits);
void csp_mpi_time_stop(void);

/** Around a call of the program, or of the MPI library inside one. */
void csp_mpi_time_enter(void);
void csp_mpi_time_leave(void);

/** Around a wait for operations, inside a call. */
void csp_mpi_time_wait(void);
void csp_mpi_time_waited(void);

#endif
