// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Signals that launchers and batch systems send to all processes of a job, and timers that the program set before
// MPI_Init. They are for the program, whose handlers a ghost never gets to install.
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>
#include "ghost/ghost.h"
#include "runtime/peers.h"

// Faults end a ghost, children and job control are as always.
static const int kept[] = {SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV,
                           SIGSYS,  SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP,
                           SIGTTIN, SIGTTOU, SIGPIPE, SIGURG,  SIGWINCH};

static int is_kept(int signal)
{
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (kept[i] == signal)
            return 1;
    return 0;
}

// Those that ask a program to end. It may have a way of its own to do so; then the ghost is needed until it is done.
static int asks_to_end(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

// Before MPI_Init: of the program and its libraries. The MPI library and what it loads may have handlers, too, and need them.
static void (*of_program[NSIG])(int);

void csp_ghost_signals_before(void)
{
    struct sigaction now;
    for (int s = 1; s < NSIG; s++)
        of_program[s] = sigaction(s, NULL, &now) == 0 ? now.sa_handler : SIG_DFL;
}

void csp_ghost_signals(void)
{
    static const struct itimerval none;
    setitimer(ITIMER_REAL, &none, NULL); // and alarm()
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    setitimer(ITIMER_PROF, &none, NULL);
    for (int s = 1; s < NSIG; s++) {
        struct sigaction old;
        if (is_kept(s) || sigaction(s, NULL, &old) != 0)
            continue;
        if (old.sa_handler == SIG_IGN ||
            (old.sa_handler != SIG_DFL && old.sa_handler != of_program[s]))
            continue;
        struct sigaction now = {.sa_handler = asks_to_end(s) ? csp_peers_tell : SIG_IGN,
                                .sa_flags = SA_RESTART};
        sigaction(s, &now, NULL);
    }
}
