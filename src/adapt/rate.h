// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection by profile (TPDS 5.3.1): the communication rate CR of a process, its share of time in MPI, says which
// executor its targets should have. docs/design/adaptive.md. Pure code; the record is in shared memory.
#ifndef CSP_ADAPT_RATE_H
#define CSP_ADAPT_RATE_H

#include <stdatomic.h>
#include <stdint.h>

// Time of a process in MPI, as it goes on. The process writes it, a ghost of its node reads it.
struct csp_mpi_time {
    _Atomic uint64_t spent_ns;
    _Atomic uint64_t since_ns; // in MPI since then; 0: outside
};

/** Time in MPI until now. */
static inline uint64_t csp_mpi_time_until(const struct csp_mpi_time *t, uint64_t now_ns)
{
    uint64_t spent = atomic_load_explicit(&t->spent_ns, memory_order_acquire);
    uint64_t since = atomic_load_explicit(&t->since_ns, memory_order_relaxed);
    return spent + (since && since < now_ns ? now_ns - since : 0);
}

struct csp_rate_config {
    uint64_t interval_ns; // between two predictions
    int low_percent,
        high_percent; // of CR: below, redirection is on; above, off; in between, as before
};

struct csp_rate {
    uint64_t begin_ns, mpi_ns; // of this interval
    int percent;               // CR of the last one
    int off;                   // the prediction
};

static inline void csp_rate_begin(struct csp_rate *r, uint64_t now_ns, uint64_t mpi_ns)
{
    *r = (struct csp_rate){.begin_ns = now_ns, .mpi_ns = mpi_ns};
}

/** To be called now and then with the time in MPI so far. @return 1 if the prediction changed. */
int csp_rate_step(struct csp_rate *r, const struct csp_rate_config *config, uint64_t now_ns,
                  uint64_t mpi_ns);

#endif
