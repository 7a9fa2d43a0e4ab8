// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Counters of the calling process and of its node's ghosts while the program runs, by name: casper_counter_get of
// casper/casper.h, and performance variables of MPI's tool interface. Any thread, any time.
#ifndef CSP_RUNTIME_COUNTERS_H
#define CSP_RUNTIME_COUNTERS_H

#include <stdint.h>

enum csp_counter_unit { CSP_COUNTER_COUNT, CSP_COUNTER_BYTES, CSP_COUNTER_NS };

struct csp_counter {
    const char *name, *help;
    enum csp_counter_unit unit;
};

/** How many there are. The same in every process, with ghosts and without. */
int csp_counters(void);

const struct csp_counter *csp_counter_at(int i);

/** Since MPI_Init; 0 before it and without ghosts, the last value after MPI_Finalize. */
uint64_t csp_counter_value(int i);

/** The node's segment is about to go: keeps the last values. */
void csp_counters_stop(void);

#endif
