// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Error handlers on MPI_COMM_WORLD: the default is fatal; a user function gets MPI_COMM_WORLD and
// may call MPI; ranks beyond the application's are errors; a dup inherits the handler.
#include "csp_test.h"

static int calls, last_class;
static MPI_Comm expected = MPI_COMM_NULL;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    int size = -1, result = -1;
    calls++;
    CHECK(*comm == expected);
    MPI_Error_class(*code, &last_class);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_INT(size, csp_test_size);
    MPI_Comm_compare(*comm, MPI_COMM_WORLD, &result);
    CHECK_INT(result, expected == MPI_COMM_WORLD ? MPI_IDENT : MPI_CONGRUENT);
}

static void provoke(MPI_Comm comm)
{
    int value = 0;
    expected = comm;
    MPI_Send(&value, 1, MPI_INT, csp_test_size, 0, comm);
    CHECK_INT(calls, 1);
    CHECK_INT(last_class, MPI_ERR_RANK);
    MPI_Bcast(&value, 1, MPI_INT, csp_test_size, comm);
    CHECK_INT(calls, 2);
    CHECK(last_class == MPI_ERR_ROOT || last_class == MPI_ERR_RANK);
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    CHECK_INT(calls, 3);
    CHECK_INT(last_class, MPI_ERR_OTHER);
    calls = 0;
}

int main(void)
{
    csp_test_init();
    MPI_Errhandler mine, got;
    MPI_Comm dup;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_create_errhandler(on_error, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    CHECK(got == mine);
    MPI_Errhandler_free(&got);
    PHASE("world");
    provoke(MPI_COMM_WORLD);
    PHASE("dup");
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    provoke(dup);
    MPI_Comm_free(&dup);
    MPI_Errhandler_free(&mine); // still in use by the world
    expected = MPI_COMM_WORLD;
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_ARG);
    CHECK_INT(calls, 1);
    PHASE("return");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int beyond = 0; beyond < 4; beyond++)
        CHECK_CLASS(MPI_Send(&beyond, 1, MPI_INT, csp_test_size + beyond, 0, MPI_COMM_WORLD),
                    MPI_ERR_RANK);
    int got_value;
    CHECK_CLASS(
        MPI_Recv(&got_value, 1, MPI_INT, csp_test_size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        MPI_ERR_RANK);
    MPI_Group world, group;
    int beyond = csp_test_size;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Group_incl(world, 1, &beyond, &group) != MPI_SUCCESS);
    MPI_Group_free(&world);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return csp_test_done();
}
