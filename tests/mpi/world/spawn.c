// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Comm_spawn of two children: they see a world of their own, two ranks, and parents that are
// the application's ranks; the parents see two children; messages and merge work.
#include "csp_test.h"

static int child(MPI_Comm parent)
{
    MPI_Comm merged;
    int remote = -1, size = -1, sum = -1, want = csp_test_users();
    PHASE("child");
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_INT(size, 2);
    MPI_Comm_remote_size(parent, &remote);
    CHECK(!want || remote == want);
    MPI_Intercomm_merge(parent, 1, &merged);
    MPI_Comm_size(merged, &size);
    CHECK_INT(size, 2 + remote);
    int mine = atomic_load(&csp_test_errors);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    csp_test_limit();
    MPI_Comm parent, children, merged;
    int codes[2], size = -1, mine, sum = -1;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &csp_test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &csp_test_size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(parent);
    PHASE("spawn");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rc = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                            codes);
    CHECK_INT(rc, MPI_SUCCESS);
    if (rc != MPI_SUCCESS)
        return csp_test_done();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    PHASE("use");
    MPI_Comm_remote_size(children, &size);
    CHECK_INT(size, 2);
    MPI_Comm_size(children, &size);
    CHECK_INT(size, csp_test_size);
    MPI_Intercomm_merge(children, 0, &merged);
    MPI_Comm_size(merged, &size);
    CHECK_INT(size, 2 + csp_test_size);
    mine = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, merged); // the children's errors
    CHECK_INT(sum, 0);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&children);
    return csp_test_done();
}
