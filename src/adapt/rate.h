// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection by profile (TPDS 5.3.1): the communication rate CR of a process, its share of time in MPI, says which
// executor its targets should have. docs/design/adaptive.md. Pure code; the record is in shared memory.
#ifndef CSP_ADAPT_RATE_H
#define CSP_ADAPT_RATE_H

#include <stdatomic.h>
#include <stdint.h>

// Time of a process in MPI, as it goes on. The process writes it, a ghost of its node reads it. One word, so that calls of
// several threads cannot be seen half done: how many go on, in the low bits, and above them nanoseconds, of what is over
// and, while calls go on, minus the time at which the first of them began. Good for 104 days in MPI.
struct csp_mpi_time {
    _Atomic uint64_t word;
};

enum { CSP_MPI_TIME_BITS = 10, CSP_MPI_TIME_CALLS = (1 << CSP_MPI_TIME_BITS) - 1 };

/** A thread enters MPI, or leaves it. The clock is read again if another one did meanwhile. */
static inline void csp_mpi_time_begin(struct csp_mpi_time *t, uint64_t (*clock_ns)(void))
{
    uint64_t now = atomic_load_explicit(&t->word, memory_order_relaxed), next;
    do
        next = now + 1 - (now & CSP_MPI_TIME_CALLS ? 0 : clock_ns() << CSP_MPI_TIME_BITS);
    while (!atomic_compare_exchange_weak_explicit(&t->word, &now, next, memory_order_relaxed,
                                                  memory_order_relaxed));
}

static inline void csp_mpi_time_end(struct csp_mpi_time *t, uint64_t (*clock_ns)(void))
{
    uint64_t now = atomic_load_explicit(&t->word, memory_order_relaxed), next;
    do
        next = now - 1 + ((now & CSP_MPI_TIME_CALLS) > 1 ? 0 : clock_ns() << CSP_MPI_TIME_BITS);
    while (!atomic_compare_exchange_weak_explicit(&t->word, &now, next, memory_order_relaxed,
                                                  memory_order_relaxed));
}

/** Time in MPI until now. */
static inline uint64_t csp_mpi_time_until(const struct csp_mpi_time *t, uint64_t now_ns)
{
    uint64_t word = atomic_load_explicit(&t->word, memory_order_relaxed);
    if (word & CSP_MPI_TIME_CALLS)
        word += now_ns << CSP_MPI_TIME_BITS;
    int64_t ns = (int64_t)word >> CSP_MPI_TIME_BITS;
    return ns > 0 ? (uint64_t)ns : 0; // it began after `now_ns`
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
