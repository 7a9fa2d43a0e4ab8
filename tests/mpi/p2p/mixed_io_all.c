// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Waitall on messages and a file operation that is collective: each of the two may be what another process waits for before it
// lets the other one come to its end. All processes must see the same file.
#include "../csp_test.h"

enum { N = 64, ROUNDS = 4 };

static MPI_File file;

// Interleaved, so that the data of one process passes through another one.
static void make_view(void)
{
    MPI_Datatype every;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_File_open(MPI_COMM_WORLD, "mixed_io_all",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file);
    MPI_Type_vector(N, 1, csp_test_size, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_File_set_view(file, csp_test_rank * (MPI_Offset)sizeof(int), MPI_INT, every, "native",
                      info);
    MPI_Type_free(&every);
    MPI_Info_free(&info);
}

static void check_file(const int *out)
{
    int back[N];
    csp_test_poison(back, sizeof back);
    MPI_File_read_at_all(file, 0, back, N, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        CHECK_INT(back[i], out[i]);
}

// The last process sends when its file operation is over, which wants all of them.
static void message_after_file(int *out)
{
    const int last = csp_test_size - 1;
    int in = -1;
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (csp_test_rank == 0)
        MPI_Irecv(&in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, &r[0]);
    MPI_File_iwrite_at_all(file, 0, out, N, MPI_INT, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (csp_test_rank == last)
        MPI_Send(&csp_test_rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (csp_test_rank == 0)
        CHECK(in == last || last == 0);
}

// The others join the barrier when their file operation is over.
static void barrier_after_file(int *out)
{
    const int last = csp_test_size - 1;
    int in = -1;
    MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (csp_test_rank != 0) {
        MPI_File_iwrite_at_all(file, 0, out, N, MPI_INT, &r[1]);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        if (csp_test_rank == last) {
            MPI_Recv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_INT(in, 0);
        }
    } else {
        MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
        MPI_File_iwrite_at_all(file, 0, out, N, MPI_INT, &r[1]);
        MPI_Isend(&csp_test_rank, 1, MPI_INT, last, 2, MPI_COMM_WORLD, &r[2]);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    }
}

int main(void)
{
    int out[N];
    csp_test_init();
    if (csp_test_size < 2)
        csp_test_skip("needs two processes");
    make_view();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            out[i] = 1000 * round + N * csp_test_rank + i;
        csp_test_phase = "message after file";
        message_after_file(out);
        check_file(out);
        MPI_Barrier(MPI_COMM_WORLD);
        csp_test_phase = "barrier after file";
        barrier_after_file(out);
        check_file(out);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    return csp_test_done();
}
