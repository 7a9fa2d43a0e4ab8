// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See place.h.
#include "place.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include "bench.h"

static const double ALIKE = 1.5; // latencies of the same places differ by less

double place_look(int looks)
{
    double ns = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (looks)
        ns = bench_core_to_core_ns();
    else
        bench_sleep(0.003);
    MPI_Barrier(MPI_COMM_WORLD);
    return ns;
}

double place_kept_ns(double before_ns, double after_ns)
{
    return fmax(before_ns, after_ns) <= ALIKE * fmin(before_ns, after_ns) ? after_ns : 0;
}

const char *place_label(char *all, size_t room, const char *labels, double ns)
{
    snprintf(all, room, "%s, \"core_to_core_ns\": %.1f", labels, ns);
    return all;
}
