// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CSP_YIELD: with `start` a user of an Open MPI job does not give up its core in the MPI library between MPI_Init and
// MPI_Finalize, although mpi_yield_when_idle is set where tests run, and afterwards it does as it did before: as is
// set there, or as the argument says.
#include "casper_only.h"

#include <dlfcn.h>
#include <stdbool.h>

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
    CHECK_INT(*yields, wanted && (how == NULL || strcmp(how, "start") != 0));
    MPI_Barrier(MPI_COMM_WORLD);
    int code = csp_test_done();
    if (*yields == wanted)
        return code;
    fprintf(stderr, "after MPI_Finalize mpi_yield_when_idle is %d, was %d\n", *yields, wanted);
    return 1;
}
