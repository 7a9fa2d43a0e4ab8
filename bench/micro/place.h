// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Where the machine has put the two cores while something was measured (bench.h, bench_core_to_core_ns).
#ifndef BENCH_PLACE_H
#define BENCH_PLACE_H

#include <stddef.h>

/** Collective over MPI_COMM_WORLD, behind a barrier; the others leave their cores meanwhile.
 * @return the latency in ns at the rank that looks, 0 elsewhere */
double place_look(int looks);

/** The latency after something was measured, or 0 if it was another one before. */
double place_kept_ns(double before_ns, double after_ns);

/** Writes labels (a piece of JSON) with the latency as one more to `all`, and gives that. */
const char *place_label(char *all, size_t room, const char *labels, double ns);

#endif
