// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI-IO on MPI_COMM_WORLD: collective and independent writes, views, shared file pointer, ordered
// mode; the group of the file; what is in the file at the end.
#include "csp_test.h"

enum { N = 64 };

static char path[] = "casper-test-io.dat";

static void explicit_offsets(MPI_File file)
{
    int buf[N], got[N], next = (csp_test_rank + 1) % csp_test_size;
    MPI_Offset bytes = sizeof buf, size = -1;
    MPI_Status status;
    for (int i = 0; i < N; i++)
        buf[i] = csp_test_rank * 1000 + i;
    MPI_File_write_at_all(file, csp_test_rank * bytes, buf, N, MPI_INT, &status);
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK_INT(count, N);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_get_size(file, &size);
    CHECK_INT(size, bytes * csp_test_size);
    csp_test_poison(got, sizeof got);
    MPI_File_read_at(file, next * bytes, got, N, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        CHECK_INT(got[i], next * 1000 + i);
}

static void views(MPI_File file)
{
    MPI_Datatype type, resized;
    int buf[N], got[N];
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_create_resized(type, 0, sizeof(int) * csp_test_size, &resized);
    MPI_Type_commit(&resized);
    for (int i = 0; i < N; i++)
        buf[i] = i * csp_test_size + csp_test_rank;
    MPI_File_set_view(file, csp_test_rank * (MPI_Offset)sizeof(int), MPI_INT, resized, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(file, buf, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    csp_test_poison(got, sizeof got);
    MPI_File_read_at_all(file, csp_test_rank * N, got, N, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        CHECK_INT(got[i], csp_test_rank * N + i);
    MPI_Type_free(&type);
    MPI_Type_free(&resized);
}

static void ordered(MPI_File file)
{
    int value = 7000 + csp_test_rank, got = -1;
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    for (int i = 0; i < csp_test_size; i++) {
        MPI_File_read_at(file, i, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
        CHECK_INT(got, 7000 + i);
    }
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK_INT(got, value);
}

int main(void)
{
    csp_test_init();
    MPI_File file;
    MPI_Group group, world;
    int result = -1;
    PHASE("open");
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_set_size(file, 0);
    MPI_File_get_group(file, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(group, world, &result);
    CHECK_INT(result, MPI_IDENT);
    PHASE("explicit offsets");
    explicit_offsets(file);
    PHASE("views");
    views(file);
    PHASE("ordered");
    ordered(file);
    PHASE("close");
    MPI_File_close(&file);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return csp_test_done();
}
