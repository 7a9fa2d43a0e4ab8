// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Whether users need the cores that ghosts share with them: by the CPU time that they take, whatever for.
#ifndef GHOST_GHOST_USERS_H
#define GHOST_GHOST_USERS_H

#include <stdint.h>

void csp_ghost_users_start(void);
void csp_ghost_users_stop(void);

/** Looks, at most every millisecond. @return 1 if it did. */
int csp_ghost_users_turn(uint64_t now);

/** Of a crowded node: whether users had all cores but the ghosts' of late. A user that sleeps, or that waits in naps, has none; one that
 * waits within the MPI library has one. 0 too where their clocks cannot be read. */
int csp_ghost_users_compute(uint64_t now);

#endif
