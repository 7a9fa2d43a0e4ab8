// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A spawned job with ghosts of its own (CSP_SPAWN_NG): neither side sees them, its windows are redirected, and after
// MPI_Comm_disconnect both go on alone. With the argument "plain" the spawned program runs without Casper; with "one" a single
// process is spawned, which can have no ghost: CSP_STRICT is not for it.
#include "casper_only.h"

enum { STARTED = 8 };

static void check_window(void)
{
    int *base, size, rank, one = 1;
    MPI_Win win;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 0;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    CHECK_INT(*base, 1);
    MPI_Win_free(&win);
}

static int child(MPI_Comm parent)
{
    int size, mine, errors, sum = 0, told[2];
    char name[MPI_MAX_OBJECT_NAME] = "";
    MPI_Comm again;
    PHASE("child");
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_size(parent, &mine);
    CHECK_INT(mine, size);
    MPI_Comm_get_name(parent, name, &mine);
    CHECK_STR(name, "MPI_COMM_PARENT");
    check_window();
    errors = atomic_load(&csp_test_errors);
    MPI_Allreduce(&errors, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    told[0] = size;
    told[1] = sum;
    MPI_Bcast(told, 2, MPI_INT, csp_test_rank == 0 ? MPI_ROOT : MPI_PROC_NULL, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Comm_get_parent(&again);
    CHECK_INT(again == MPI_COMM_NULL, 1);
    check_window();
    return csp_test_done();
}

int main(int argc, char **argv)
{
    csp_test_limit();
    MPI_Comm parent, children;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &csp_test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &csp_test_size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(parent);
    casper_only();
    int plain = argc > 1 && strcmp(argv[1], "plain") == 0, size = -1, told[2] = {-1, -1};
    int one = argc > 1 && strcmp(argv[1], "one") == 0, started = one ? 1 : STARTED;
    char preload[4096];
    const char *ours = getenv("LD_PRELOAD");
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", ours && !plain ? ours : "");
    char *args[] = {preload, argv[0], NULL};
    PHASE("spawn");
    MPI_Comm_spawn("env", args, started, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    PHASE("use");
    MPI_Comm_remote_size(children, &size);
    MPI_Bcast(told, 2, MPI_INT, 0, children);
    CHECK_INT(size, told[0]);
    CHECK_INT(told[1], 0);
    CHECK_INT(size < started, !plain && !one);
    MPI_Comm_size(children, &size);
    CHECK_INT(size, csp_test_size);
    MPI_Comm_disconnect(&children);
    MPI_Barrier(MPI_COMM_WORLD);
    return csp_test_done();
}
