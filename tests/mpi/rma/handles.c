// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Handles of windows: comparison, to integers and back, in containers, distinct from each other.
#include "csp_test_rma.h"

enum { WINS = 20 };

int main(void)
{
    csp_test_init();
    MPI_Win wins[WINS];
    int f[WINS];
    for (int i = 0; i < WINS; i++) {
        void *base;
        MPI_Win_allocate(16, 1, MPI_INFO_NULL, i % 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, &base,
                         &wins[i]);
        CHECK(wins[i] != MPI_WIN_NULL);
        f[i] = CSP_TEST_INT(Win, wins[i]);
    }
    for (int i = 0; i < WINS; i++) {
        CHECK(CSP_TEST_HANDLE(Win, f[i]) == wins[i]);
        for (int j = 0; j < i; j++)
            CHECK(wins[i] != wins[j] && f[i] != f[j]);
    }
    for (int i = 0; i < WINS; i++) {
        MPI_Win copy = CSP_TEST_HANDLE(Win, f[i]); // a copy of the handle is as good
        MPI_Win_fence(0, copy);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, wins[i]);
        MPI_Win_free(&copy);
        CHECK(copy == MPI_WIN_NULL);
    }
    return csp_test_done();
}
