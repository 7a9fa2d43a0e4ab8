// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CSP_YIELD: with `start` a user of an Open MPI job does not give up its core in the MPI library between MPI_Init and
// MPI_Finalize, although mpi_yield_when_idle is set where tests run.
#include "casper_only.h"

#include <dlfcn.h>
#include <stdbool.h>

int main(void)
{
    csp_test_init();
    casper_only();
    const bool *yields = dlsym(RTLD_DEFAULT, "opal_progress_yield_when_idle");
    if (yields == NULL)
        csp_test_skip("Open MPI alone");
    const char *how = getenv("CSP_YIELD");
    CHECK_INT(*yields, how == NULL || strcmp(how, "start") != 0);
    MPI_Barrier(MPI_COMM_WORLD);
    return csp_test_done();
}
