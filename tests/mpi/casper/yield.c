// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CSP_YIELD: with `start` a user of an Open MPI job does not give up its core in the MPI library between MPI_Init and
// MPI_Finalize, although mpi_yield_when_idle is set where tests run, and afterwards it does as it did before: as is
// set there, or as the argument says. Windows with a segment of their own are made and freed together with ghosts:
// there it does, too.
#include "casper_only.h"

#include <dlfcn.h>
#include <stdbool.h>

static int turned_on;

// In front of the library's: also what Casper finds.
__attribute__((visibility("default"))) bool opal_progress_set_yield_when_idle(bool yes);
bool opal_progress_set_yield_when_idle(bool yes)
{
    bool (*next)(bool) = (bool (*)(bool))dlsym(RTLD_NEXT, "opal_progress_set_yield_when_idle");
    turned_on += yes;
    return next(yes);
}

static void check_window(int changes)
{
    char *base;
    MPI_Win win;
    int before = turned_on;
    MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    CHECK_INT(turned_on - before, changes);
    MPI_Win_free(&win);
    CHECK_INT(turned_on - before, 2 * changes);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        setenv("OMPI_MCA_mpi_yield_when_idle", argv[1], 1);
    int wanted = argc == 1 || atoi(argv[1]);
    csp_test_init();
    casper_only();
    const bool *yields = dlsym(RTLD_DEFAULT, "opal_progress_yield_when_idle");
    if (yields == NULL)
        csp_test_skip("Open MPI alone");
    const char *how = getenv("CSP_YIELD");
    int starts = how != NULL && strcmp(how, "start") == 0;
    CHECK_INT(*yields, wanted && !starts);
    MPI_Barrier(MPI_COMM_WORLD);
    check_window(wanted && starts);
    CHECK_INT(*yields, wanted && !starts);
    int code = csp_test_done();
    if (*yields == wanted)
        return code;
    fprintf(stderr, "after MPI_Finalize mpi_yield_when_idle is %d, was %d\n", *yields, wanted);
    return 1;
}
