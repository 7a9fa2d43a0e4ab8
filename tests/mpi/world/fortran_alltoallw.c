// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Alltoallw and MPI_Ialltoallw of Fortran on MPI_COMM_WORLD, whose arrays of datatypes have one entry for each of the
// program's processes and end where memory ends. Called by their names, as compiled Fortran does.
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "csp_test.h"

#ifdef OPEN_MPI
typedef void alltoallw_function(int *from, MPI_Fint *from_counts, MPI_Fint *from_displs,
                                MPI_Fint *from_types, int *to, MPI_Fint *to_counts,
                                MPI_Fint *to_displs, MPI_Fint *to_types, MPI_Fint *comm,
                                MPI_Fint *ierr);
typedef void ialltoallw_function(int *from, MPI_Fint *from_counts, MPI_Fint *from_displs,
                                 MPI_Fint *from_types, int *to, MPI_Fint *to_counts,
                                 MPI_Fint *to_displs, MPI_Fint *to_types, MPI_Fint *comm,
                                 MPI_Fint *request, MPI_Fint *ierr);

// An array whose end is that of the memory there.
static MPI_Fint *at_the_end(int n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    return (MPI_Fint *)(void *)(pages + page) - n;
}

static void *routine(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    CHECK(found != NULL);
    return found;
}

int main(void)
{
    csp_test_init();
    if (!dlopen("libmpi_mpifh.so.40", RTLD_NOW | RTLD_GLOBAL))
        csp_test_skip("this MPI library has no Fortran, or another name for it");
    int n = csp_test_size, from[n], to[n];
    MPI_Fint counts[n], displs[n], *from_types = at_the_end(n), *to_types = at_the_end(n);
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD), request, ierr = -1;
    alltoallw_function *alltoallw;
    ialltoallw_function *ialltoallw;
    *(void **)&alltoallw = routine("mpi_alltoallw_");
    *(void **)&ialltoallw = routine("mpi_ialltoallw_");
    for (int i = 0; i < n; i++) {
        from[i] = 100 * csp_test_rank + i;
        counts[i] = 1;
        displs[i] = i * (int)sizeof(int);
        from_types[i] = to_types[i] = MPI_Type_c2f(MPI_INT);
    }
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        memset(to, 0, sizeof to);
        if (nonblocking) {
            ialltoallw(from, counts, displs, from_types, to, counts, displs, to_types, &comm,
                       &request, &ierr);
            MPI_Request c = MPI_Request_f2c(request);
            MPI_Wait(&c, MPI_STATUS_IGNORE);
        } else {
            alltoallw(from, counts, displs, from_types, to, counts, displs, to_types, &comm, &ierr);
        }
        CHECK_INT(ierr, MPI_SUCCESS);
        for (int i = 0; i < n; i++)
            CHECK_INT(to[i], 100 * i + csp_test_rank);
    }
    return csp_test_done();
}
#else
int main(void)
{
    csp_test_init();
    csp_test_skip("its Fortran calls the functions of C");
}
#endif
