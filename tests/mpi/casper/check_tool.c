// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Preloaded behind libcasper: an MPI function fails in rank 0 of the real world, a ghost, where Casper cannot go on. It must end
// the job by MPI_Abort, for launchers that do not end it when one process dies.
#include <dlfcn.h>
#include <mpi.h>

#define API __attribute__((visibility("default")))

enum { CODE = 42 };

API int PMPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    __typeof__(PMPI_Comm_set_attr) *next =
        (__typeof__(PMPI_Comm_set_attr) *)dlsym(RTLD_NEXT, "PMPI_Comm_set_attr");
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0 && comm == MPI_COMM_SELF ? MPI_ERR_OTHER : next(comm, keyval, value);
}

API int PMPI_Abort(MPI_Comm comm, int code)
{
    __typeof__(PMPI_Abort) *next = (__typeof__(PMPI_Abort) *)dlsym(RTLD_NEXT, "PMPI_Abort");
    (void)code;
    return next(comm, CODE);
}
