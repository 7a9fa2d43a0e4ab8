// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Death watch over the processes of a node. Any role, any thread.
#ifndef CSP_RUNTIME_PEERS_H
#define CSP_RUNTIME_PEERS_H

#include <stdint.h>

/** From a signal handler of a ghost: this signal asks all processes of the job to end. If users of the node do within a minute, so
 * does the ghost, after the last of them, and says nothing. */
void csp_peers_tell(int signal);

/** Opens a pidfd for each process that this one depends on; failures are silent (less is watched).
 */
void csp_peers_start(void);
void csp_peers_stop(void);

/** A pidfd, or -1. */
int csp_peers_open(int pid);

/** Looks whether one of them died; if so names it and ends the job. Cheap: looks at most 20 times a
 * second. */
void csp_peers_check(uint64_t now_ns);

/** This process is about to call MPI_Abort: those that see it go leave a second to the launcher to end the job. */
void csp_peers_abort(void);

/**
 * The system or the MPI library failed in a way that the end of another process would explain: its memory is
 * gone, its connection closed. Both are gone before the process has ended, and a process of another node is for
 * that node to name: waits, a second at most. @return nobody of this node has died, and the job goes on.
 */
void csp_peers_lost(void);

#endif
