// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The last thing that a callback of a generalized request does is to complete another request: the compiler makes a
// jump of it, so the call seems to be the library's.
#include "csp_test.h"

#ifdef __clang__
#define WITH_JUMPS
#else
#define WITH_JUMPS __attribute__((optimize("O2")))
#endif

struct inner {
    MPI_Request wait, free;
};

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static WITH_JUMPS int wait_at_end(void *state)
{
    return MPI_Wait(&((struct inner *)state)->wait, MPI_STATUS_IGNORE);
}

static WITH_JUMPS int free_at_end(void *state)
{
    return MPI_Request_free(&((struct inner *)state)->free);
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void run(MPI_Grequest_free_function *at_end, struct inner *inner)
{
    MPI_Request outer;
    MPI_Grequest_start(query, at_end, cancel, inner, &outer);
    MPI_Grequest_complete(outer);
    MPI_Wait(&outer, MPI_STATUS_IGNORE);
}

int main(void)
{
    csp_test_init();
    int to = (csp_test_rank + 1) % csp_test_size, out[2] = {csp_test_rank, -csp_test_rank};
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size, in[2] = {-1, -1};
    struct inner inner;
    for (int i = 0; i < 20; i++) {
        in[0] = in[1] = -1;
        MPI_Irecv(&in[0], 1, MPI_INT, from, 0, MPI_COMM_WORLD, &inner.wait);
        MPI_Isend(&out[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &inner.free);
        run(free_at_end, &inner);
        CHECK(inner.free == MPI_REQUEST_NULL);
        run(wait_at_end, &inner);
        CHECK(inner.wait == MPI_REQUEST_NULL);
        CHECK_INT(in[0], from);
        // Handles that were free are given again.
        MPI_Request both[2];
        MPI_Irecv(&in[1], 1, MPI_INT, from, 1, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(&out[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        CHECK_INT(in[1], -from);
    }
    return csp_test_done();
}
