// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A PMPI tool with the entries that real ones have: C, and Fortran by translating the handles and
// calling the C entry. Counts calls, and prints them with the sizes it was shown in MPI_Finalize.
#include <mpi.h>
#include <stdio.h>

static int inits, sizes, puts_, sends, finalizes; // calls
static int world = -1, largest, put_elements, send_elements;

static void look(void)
{
    inits++;
    PMPI_Comm_size(MPI_COMM_WORLD, &world);
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);
    look();
    return rc;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    int rc = PMPI_Comm_size(comm, size);
    sizes++;
    largest = *size > largest ? *size : largest;
    return rc;
}

int MPI_Put(const void *origin, int n, MPI_Datatype type, int target, MPI_Aint disp, int target_n,
            MPI_Datatype target_type, MPI_Win win)
{
    puts_++;
    put_elements += n;
    return PMPI_Put(origin, n, type, target, disp, target_n, target_type, win);
}

int MPI_Send(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    sends++;
    send_elements += n;
    return PMPI_Send(buf, n, type, dest, tag, comm);
}

int MPI_Finalize(void)
{
    int rank = -1;
    finalizes++;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr,
            "tool: rank %d of %d, largest size %d, Init %d, Comm_size %d, Put %d (%d), Send %d "
            "(%d), Finalize %d\n",
            rank, world, largest, inits, sizes, puts_, put_elements, sends, send_elements,
            finalizes);
    return PMPI_Finalize();
}

void mpi_init_(MPI_Fint *ierr);
void mpi_comm_size_(MPI_Fint *comm, MPI_Fint *size, MPI_Fint *ierr);
void mpi_put_(void *origin, MPI_Fint *n, MPI_Fint *type, MPI_Fint *target, MPI_Aint *disp,
              MPI_Fint *target_n, MPI_Fint *target_type, MPI_Fint *win, MPI_Fint *ierr);
void mpi_send_(void *buf, MPI_Fint *n, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag,
               MPI_Fint *comm, MPI_Fint *ierr);
void mpi_finalize_(MPI_Fint *ierr);

void mpi_init_(MPI_Fint *ierr)
{
    *ierr = MPI_Init(NULL, NULL);
}

void mpi_comm_size_(MPI_Fint *comm, MPI_Fint *size, MPI_Fint *ierr)
{
    *ierr = MPI_Comm_size(MPI_Comm_f2c(*comm), size);
}

void mpi_put_(void *origin, MPI_Fint *n, MPI_Fint *type, MPI_Fint *target, MPI_Aint *disp,
              MPI_Fint *target_n, MPI_Fint *target_type, MPI_Fint *win, MPI_Fint *ierr)
{
    *ierr = MPI_Put(origin, *n, MPI_Type_f2c(*type), *target, *disp, *target_n,
                    MPI_Type_f2c(*target_type), MPI_Win_f2c(*win));
}

void mpi_send_(void *buf, MPI_Fint *n, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag,
               MPI_Fint *comm, MPI_Fint *ierr)
{
    *ierr = MPI_Send(buf, *n, MPI_Type_f2c(*type), *dest, *tag, MPI_Comm_f2c(*comm));
}

void mpi_finalize_(MPI_Fint *ierr)
{
    *ierr = MPI_Finalize();
}
