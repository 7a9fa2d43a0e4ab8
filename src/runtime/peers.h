// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Death watch over the processes of a node. Any role, any thread.
#ifndef CSP_RUNTIME_PEERS_H
#define CSP_RUNTIME_PEERS_H

#include <stdint.h>

/** Opens a pidfd for each process that this one depends on; failures are silent (less is watched).
 */
void csp_peers_start(void);
void csp_peers_stop(void);

/** Looks whether one of them died; if so names it and ends the job. Cheap: looks at most 20 times a
 * second. */
void csp_peers_check(uint64_t now_ns);

#endif
