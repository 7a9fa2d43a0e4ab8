// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The program's own attributes on MPI_COMM_WORLD: copy and delete functions get MPI_COMM_WORLD as
// the handle, run as often as the standard says, and may call MPI.
#include "csp_test.h"

static int copies, deletes;
static MPI_Comm deleted_from;

static int on_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)keyval;
    int size = -1;
    copies++;
    CHECK(comm == MPI_COMM_WORLD);
    CHECK(extra == &copies);
    MPI_Comm_size(comm, &size);
    CHECK_INT(size, csp_test_size);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval;
    (void)value;
    deletes++;
    deleted_from = comm;
    CHECK(extra == &copies);
    return MPI_SUCCESS;
}

int main(void)
{
    csp_test_init();
    MPI_Comm dup, kept;
    int key, flag = -1, value = 3, *got = NULL, same = -1;
    MPI_Comm_create_keyval(on_copy, on_delete, &key, &copies);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &flag);
    CHECK(!flag);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &flag);
    CHECK(flag && got == &value);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK_INT(copies, 1);
    MPI_Comm_get_attr(dup, key, &got, &flag);
    CHECK(flag && got == &value);
    kept = dup;
    MPI_Comm_compare(dup, MPI_COMM_WORLD, &same);
    CHECK_INT(same, MPI_CONGRUENT);
    MPI_Comm_free(&dup);
    CHECK_INT(deletes, 1);
    CHECK(deleted_from == kept);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &dup); // attributes do not spread to a split
    MPI_Comm_get_attr(dup, key, &got, &flag);
    CHECK(!flag);
    MPI_Comm_free(&dup);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    CHECK_INT(deletes, 2);
    CHECK(deleted_from == MPI_COMM_WORLD);
    CHECK_INT(copies, 1);
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &flag);
    CHECK(!flag);
    MPI_Comm_free_keyval(&key);
    return csp_test_done();
}
