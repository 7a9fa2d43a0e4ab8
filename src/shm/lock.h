// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A lock between the threads and processes of a node, for short sections. Zeroed memory is a free
// lock. A holder that died leaves it locked; whoever waits says so on stderr.
#ifndef CSP_SHM_LOCK_H
#define CSP_SHM_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

struct csp_lock {
    _Atomic uint32_t state;    // 0 free, 1 held, 2 held and somebody may sleep; the futex word
    _Atomic int32_t owner_pid; // for the message only
};

/** Blocks; `what` names the lock in the message of a long wait. */
void csp_lock_acquire(struct csp_lock *lock, const char *what);
void csp_lock_release(struct csp_lock *lock);

#endif
