// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A program whose name has that of a language binding in it is none: its callbacks get MPI_COMM_WORLD.
#include "csp_test.h"

static int errors, deleted;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    CHECK(*comm == MPI_COMM_WORLD);
    errors++;
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval, (void)value, (void)extra;
    CHECK(comm == MPI_COMM_WORLD);
    deleted++;
    return MPI_SUCCESS;
}

int main(void)
{
    int keyval;
    MPI_Errhandler mine;
    csp_test_init();
    MPI_Comm_create_errhandler(on_error, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    CHECK_INT(errors, 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&mine);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, NULL);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    CHECK_INT(deleted, 1);
    MPI_Comm_free_keyval(&keyval);
    return csp_test_done();
}
