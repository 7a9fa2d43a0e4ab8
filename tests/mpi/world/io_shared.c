// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The shared file pointer of a file of the world and of files of halves of it; atomic mode.
#include "csp_test.h"

static void shared(MPI_Comm comm, const char *path)
{
    MPI_File file;
    int size, rank, value, *seen;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    seen = calloc((size_t)size * 2, sizeof(int));
    MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_size(file, 0);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    for (int i = 0; i < 2; i++) {
        value = rank * 2 + i;
        MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_File_sync(file);
    MPI_Barrier(comm);
    MPI_File_sync(file);
    for (int i = 0; i < 2 * size; i++) {
        value = -1;
        MPI_File_read_at(file, i, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        CHECK(value >= 0 && value < 2 * size);
        if (value >= 0 && value < 2 * size)
            seen[value]++;
    }
    for (int i = 0; i < 2 * size; i++)
        CHECK_INT(seen[i], 1);
    MPI_File_close(&file);
    free(seen);
}

int main(void)
{
    csp_test_init();
    MPI_Comm half;
    char path[64];
    PHASE("world");
    shared(MPI_COMM_WORLD, "casper-test-shared.dat");
    MPI_Comm_split(MPI_COMM_WORLD, csp_test_rank % 2, 0, &half);
    snprintf(path, sizeof path, "casper-test-shared-%d.dat", csp_test_rank % 2);
    PHASE("half");
    shared(half, path);
    MPI_Comm_free(&half);
    return csp_test_done();
}
