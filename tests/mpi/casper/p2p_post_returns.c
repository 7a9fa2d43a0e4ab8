// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Users and a ghost that share one core: who posts a message wakes the ghost up and loses the core to it, in the middle of
// MPI_Isend; it is back, and may compute, before the message is through.
#include "casper_only.h"
#include "one_core.h"

enum { ROUNDS = 40, BYTES = 4 << 20, TAG = 0 };

static const double COMPUTES_S = 0.02;

static double post_s[ROUNDS], whole_s[ROUNDS];

int main(void)
{
    take_core(0);
    csp_test_init();
    casper_only();
    char *data = calloc(BYTES, 1);
    MPI_Request r;
    for (int i = 0; i < ROUNDS; i++) {
        if (csp_test_rank == 1)
            MPI_Irecv(data, BYTES, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, &r);
        MPI_Barrier(MPI_COMM_WORLD);
        if (csp_test_rank == 0)
            for (double end = MPI_Wtime() + COMPUTES_S / 4; MPI_Wtime() < end;)
                ;
        else
            usleep((useconds_t)(COMPUTES_S * 1e6)); // nobody waits: the ghost copies
        const double start = MPI_Wtime();
        if (csp_test_rank == 0)
            MPI_Isend(data, BYTES, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &r);
        post_s[i] = MPI_Wtime() - start;
        for (int done = 0; csp_test_rank == 0 && !done;)
            MPI_Test(&r, &done, MPI_STATUS_IGNORE);
        whole_s[i] = MPI_Wtime() - start;
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    const double post = quantile(post_s, ROUNDS, 0.5), whole = quantile(whole_s, ROUNDS, 0.5);
    if (csp_test_rank == 0) {
        fprintf(stderr, "posting took %.0f us of %.0f us\n", post * 1e6, whole * 1e6);
        CHECK(post < whole / 4);
    }
    free(data);
    return csp_test_done();
}
