// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Signals that all processes of a job get are for the program. It guards MPI_Init by an alarm, and goes on after it; it has a handler
// from before. With an argument it then waits for SIGUSR1 and SIGTERM, which it has handlers for, and ends as always;
// tests/tools/test_processes.py sends them.
#include "bad_window.h"

#include <signal.h>

enum { ALARM_S = 10 };

static volatile sig_atomic_t seen_usr1, seen_term;

static void note(int signal)
{
    if (signal == SIGUSR1)
        seen_usr1 = 1;
    else
        seen_term = 1;
}

static void add_everywhere(const struct bad_window *w)
{
    int one = 1, old;
    MPI_Win_lock_all(0, w->win);
    for (int t = 0; t < csp_test_size; t++)
        MPI_Fetch_and_op(&one, &old, MPI_INT, t, w->at[t], MPI_SUM, w->win);
    MPI_Win_unlock_all(w->win);
}

int main(int argc, char **argv)
{
    (void)argv;
    int done = 0;
    signal(SIGUSR2, _exit); // not a function of the program itself
    alarm(ALARM_S);
    csp_test_init();
    alarm(0);
    double end = MPI_Wtime() + (argc > 1 ? 25 : ALARM_S + 1);
    signal(SIGUSR1, note);
    signal(SIGTERM, note);
    struct bad_window w = bad_window_new(64);
    printf("user %d is process %ld\n", csp_test_rank, (long)getpid());
    fflush(stdout);
    while (!done) {
        add_everywhere(&w);
        int mine = (argc > 1 && seen_usr1 && seen_term) || MPI_Wtime() > end;
        MPI_Allreduce(&mine, &done, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        usleep(1000);
    }
    CHECK_INT(seen_usr1, argc > 1);
    CHECK_INT(seen_term, argc > 1);
    bad_window_free(&w);
    return csp_test_done();
}
