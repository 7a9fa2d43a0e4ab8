// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection is switched more often than the report and the trace keep: each time the next fence obeys.
#include "casper_only.h"

enum { CHANGES = 300 };

static MPI_Info say(const char *config)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "async_config", config);
    return info;
}

int main(void)
{
    MPI_Win win;
    long *base, one = 1;
    csp_test_init();
    casper_only();
    MPI_Info info = say("on");
    MPI_Win_allocate(sizeof(*base), sizeof(*base), info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    *base = 0;
    MPI_Win_fence(0, win);
    for (int i = 0; i < CHANGES; i++) {
        info = say(i % 2 ? "on" : "off");
        MPI_Win_set_info(win, info);
        MPI_Info_free(&info);
        MPI_Win_fence(0, win);
        MPI_Accumulate(&one, 1, MPI_LONG, (csp_test_rank + 1) % csp_test_size, 0, 1, MPI_LONG,
                       MPI_SUM, win);
    }
    MPI_Win_fence(0, win);
    CHECK_INT(*base, CHANGES);
    MPI_Win_free(&win);
    return csp_test_done();
}
