// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Waiting inside Casper: poll, be quiet on shared cores, and be able to say who waits for what.
//   struct csp_wait w;
//   csp_wait_begin(&w, "lock of rank %ld from ghost %ld", rank, ghost);
//   while (!condition)
//       csp_wait_turn(&w);
// User role (and ghosts in init and finalize), any thread; not inside an AM handler.
#ifndef CSP_RUNTIME_WAIT_H
#define CSP_RUNTIME_WAIT_H

#include <stdint.h>

struct csp_wait {
    const char *what; // a format with up to three %ld
    long a, b, c;
    uint64_t begin_ns, look_ns, alarm_ns;
    uint64_t idle_ns; // since when no message came; 0: one did
    int rung;         // by csp_wait_rung
    const void *rung_by;
    uint32_t seen; // of the process's bell,
    int listening; // if it did not sleep since
};

static inline void csp_wait_begin3(struct csp_wait *w, const char *what, long a, long b, long c)
{
    *w = (struct csp_wait){.what = what, .a = a, .b = b, .c = c};
}
#define CSP_WAIT_PICK(w, what, a, b, c, ...) csp_wait_begin3(w, what, a, b, c)
#define csp_wait_begin(w, ...) CSP_WAIT_PICK(w, __VA_ARGS__, 0, 0, 0, 0)

/**
 * More processes than CPUs: has this one a CPU to spin on all the same, since others of its node sleep in Casper's waits? A
 * ghost that naps counts as awake: it comes back by itself and would not get its CPU from one that spins.
 */
int csp_wait_has_cpu(void);

/** One turn: control messages and MPI progress; then a pause that grows while nothing happens. */
void csp_wait_turn(struct csp_wait *w);

/** After a wait with `rung`: the process counts as awake again, also if it was not rung because it saw the end by itself. */
void csp_wait_end(const struct csp_wait *w);

/** Before a turn, by a caller who calls csp_wait_end then: whether all that it waits for rings this process's bell. `by`: which thing does,
 * if that may be another one in a later turn. */
void csp_wait_rung(struct csp_wait *w, int rung, const void *by);

#endif
