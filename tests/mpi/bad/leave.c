// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Rank 1 leaves without MPI_Finalize in the way that the first argument names, while the others
// wait for it; with a second argument "epoch" it holds an exclusive lock at that moment. Without
// arguments nobody leaves. Run by tests/tools/test_bad_input.py.
#include <pthread.h>
#include "bad_window.h"

static void *read_input(void *arg)
{
    (void)arg;
    getchar();
    return NULL;
}

static void leave(const char *how)
{
    pthread_t console;
    if (strcmp(how, "console") == 0 && pthread_create(&console, NULL, read_input, NULL) == 0) {
        usleep(300000); // it reads by now
        exit(3);
    }
    if (strcmp(how, "exit0") == 0)
        exit(0);
    if (strcmp(how, "exit3") == 0)
        exit(3);
    if (strcmp(how, "_exit0") == 0)
        _exit(0);
    if (strcmp(how, "_exit3") == 0)
        _exit(3);
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
}

int main(int argc, char **argv)
{
    csp_test_init();
    const char *how = argc > 1 ? argv[1] : "";
    int in_epoch = argc > 2, one = 1;
    struct bad_window w = bad_window_new(64);
    if (csp_test_rank == 1 && in_epoch) {
        for (int t = 0; t < csp_test_size; t++) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, w.win);
            MPI_Accumulate(&one, 1, MPI_INT, t, w.at[t], 1, MPI_INT, MPI_SUM, w.win);
            MPI_Win_flush(t, w.win);
        }
    }
    // MPICH makes shared memory in one of its first collectives; nobody is in that one any more.
    for (int i = 0; i < 10; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 1) {
        if (strcmp(how, "return") == 0)
            return 0;
        leave(how);
        for (int t = 0; in_epoch && t < csp_test_size; t++)
            MPI_Win_unlock(t, w.win);
    } else if (in_epoch) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w.win);
        MPI_Win_unlock(0, w.win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    bad_window_free(&w);
    return csp_test_done();
}
