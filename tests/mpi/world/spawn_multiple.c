// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Comm_spawn_multiple of one process and two others: one world of three, each with its own
// arguments and MPI_APPNUM; both sides see the application's ranks alone.
#include "csp_test.h"

enum { CHILDREN = 3 };

static int child(MPI_Comm parent, int argc, char **argv)
{
    int size = -1, remote = -1, sum = -1, rank, *appnum, flag = 0;
    PHASE("child");
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_INT(size, CHILDREN);
    MPI_Comm_remote_size(parent, &remote);
    CHECK(!csp_test_users() || remote == csp_test_users());
    CHECK_INT(argc, 2);
    CHECK_STR(argc > 1 ? argv[1] : "", rank == 0 ? "first" : "second");
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag);
    if (flag)
        CHECK_INT(*appnum, rank > 0);
    int mine = atomic_load(&csp_test_errors);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) // to the root of the spawn, who has no other way to know
        MPI_Send(&sum, 1, MPI_INT, 0, 3, parent);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    csp_test_limit();
    MPI_Comm parent, children;
    int size = -1, wrong = 0, codes[CHILDREN], procs[2] = {1, 2};
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &csp_test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &csp_test_size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(parent, argc, argv);
    PHASE("spawn");
    char *commands[2] = {argv[0], argv[0]};
    char *first[] = {"first", NULL}, *second[] = {"second", NULL}, **args[2] = {first, second};
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    memset(codes, -1, sizeof codes);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rc = MPI_Comm_spawn_multiple(2, commands, args, procs, infos, 0, MPI_COMM_WORLD, &children,
                                     codes);
    CHECK_INT(rc, MPI_SUCCESS);
    if (rc != MPI_SUCCESS)
        return csp_test_done();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    PHASE("use");
    for (int i = 0; i < CHILDREN; i++)
        CHECK_INT(codes[i], MPI_SUCCESS);
    MPI_Comm_remote_size(children, &size);
    CHECK_INT(size, CHILDREN);
    MPI_Comm_size(children, &size);
    CHECK_INT(size, csp_test_size);
    if (csp_test_rank == 0)
        MPI_Recv(&wrong, 1, MPI_INT, 0, 3, children, MPI_STATUS_IGNORE);
    CHECK_INT(wrong, 0);
    MPI_Comm_disconnect(&children);
    return csp_test_done();
}
