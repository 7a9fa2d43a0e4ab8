// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// When redirection changed, for whom, and the figures that decided: kept in the node segment for the report. Any role,
// any thread.
#ifndef CSP_TRACE_CHANGE_H
#define CSP_TRACE_CHANGE_H

#include <stdatomic.h>
#include <stdint.h>

enum csp_change_by {
    CSP_CHANGE_MEASURED, // CSP_AUTO_METHOD=measure; `who`: node of the targets; `with`, `without` ghosts: nanoseconds
                         // that users waited for an operation, or for each 4 KB of a larger one
    CSP_CHANGE_PREDICTED, // profiles; `who`: user rank; `with`: percent of its time in MPI
    CSP_CHANGE_AGREED, // profiles: a window's processes in a call together follow what was predicted; `who`: targets that
    // are off, `with`: of so many
    CSP_CHANGE_SAID, // by the program
    CSP_CHANGE_MESSAGES, // CSP_P2P=auto; `gid`: context of a communicator; `who`: number of its processes; `with`,
                         // `without` ghosts: nanoseconds from one collective call to the next
    CSP_CHANGE_KINDS
};

struct csp_change {
    uint64_t ns;  // since MPI_Init
    uint64_t gid; // window; 0: all
    int32_t who;  // -1: everybody
    uint16_t by;  // enum csp_change_by
    uint16_t off;
    double with, without;
};

enum { CSP_CHANGES = 256 }; // kept on a node: the first ones

struct csp_changes {
    _Atomic uint64_t count; // of all
    uint64_t begin_ns;      // clock of the node at MPI_Init
    uint64_t begin_unix_ns; // likewise, since 1970
    struct csp_change change[CSP_CHANGES];
    _Atomic uint8_t ready[CSP_CHANGES]; // release: written
};

#endif
