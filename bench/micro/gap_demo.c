// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The progress gap, shown by an ordinary MPI program: the last rank computes, rank 0 does one RMA
// operation on it and waits for its completion. How long? Called by bench/demo.py; by hand:
//     mpiexec -n 2 gap_demo [seconds of computing] [file for the results] [operation to leave
//     out]...
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "ops.h"

static const struct op_case cases[] = {
    {"PUT 8 B", OP_PUT, 1},       {"GET 8 B", OP_GET, 1},
    {"ACC 8 B", OP_ACC, 1},       {"GET_ACC 8 B", OP_GET_ACC, 1},
    {"FOP 8 B", OP_FOP, 1},       {"CAS 8 B", OP_CAS, 1},
    {"PUT 1 MB", OP_PUT, 131072}, {"GET 1 MB", OP_GET, 131072},
    {"ACC 1 MB", OP_ACC, 131072}, {"GET_ACC 1 MB", OP_GET_ACC, 131072},
    {"PUT strided", OP_PUT, 0},   {"GET strided", OP_GET, 0},
    {"ACC strided", OP_ACC, 0},   {"GET_ACC strided", OP_GET_ACC, 0},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

// The origin starts when the target surely computes, and computes as well until then.
static double origin_wait(struct op_state *s)
{
    bench_compute(0.01);
    const double start = bench_now();
    op_issue(s);
    MPI_Win_flush(s->target, s->win);
    return bench_now() - start;
}

static long run_case(struct op_state *s, struct op_case what, double compute_s, FILE *out)
{
    int rank;
    long errors = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    op_begin(s, what);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == s->target) {
        bench_compute(compute_s);
    } else if (rank == 0) {
        const double wait_s = origin_wait(s);
        errors += op_check_result(s);
        fprintf(out, "{\"op\": \"%s\", \"wait_s\": %.6f}\n", what.name, wait_s);
        fflush(out);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == s->target)
        errors += op_check_window(s, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    op_end(s);
    return errors;
}

int main(int argc, char **argv)
{
    const double compute_s = argc > 1 ? atof(argv[1]) : 0.3;
    struct op_state s;
    FILE *out = stdout;
    int rank, size;
    long errors = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2)
        bench_die("gap_demo needs two processes");
    if (rank == 0 && argc > 2 && (out = fopen(argv[2], "w")) == NULL)
        bench_die("cannot write %s", argv[2]);
    op_open(&s, size - 1);
    for (int i = 0; i < CASE_COUNT; i++)
        if (argc <= 3 || !bench_listed(cases[i].name, argc - 3, argv + 3))
            errors += run_case(&s, cases[i], compute_s, out);
    op_close(&s);
    const int code = bench_verdict(errors);
    MPI_Finalize();
    return code;
}
