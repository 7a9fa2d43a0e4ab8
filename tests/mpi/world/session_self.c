// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// How a library beside MPI_Init ends its session: by a callback on MPI_COMM_SELF, which MPI_Finalize runs while the
// session is still open and MPI is not yet finalized. Last set first; one that was deleted does not come.
#include <stdlib.h>
#include "sessions.h"

#if CSP_HAVE_MPI_Session_init
static MPI_Session session;
static int order[4], calls;

static int on_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int finalized = -1;
    (void)key, (void)extra;
    CHECK(comm == MPI_COMM_SELF);
    MPI_Finalized(&finalized);
    CHECK_INT(finalized, 0);
    order[calls++ % 4] = *(int *)value;
    if (*(int *)value == 1)
        MPI_Session_finalize(&session);
    return MPI_SUCCESS;
}

// Counted before MPI_Finalize, what goes wrong in it does not fail the test by itself.
static void check_end(void)
{
    CHECK_INT(calls, 3);
    CHECK_INT(order[0], 4);
    CHECK_INT(order[1], 1);
    CHECK_INT(order[2], 2);
    CHECK(session == MPI_SESSION_NULL);
    if (atomic_load(&csp_test_errors))
        exit(1);
}

int main(void)
{
    static int values[] = {1, 2, 3, 4};
    int keys[4];
    csp_test_init();
    session = session_open();
    for (int i = 0; i < 4; i++)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &keys[i], NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[1], &values[1]);
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], &values[0]);
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[2], &values[2]);
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[3], &values[3]);
    MPI_Comm_delete_attr(MPI_COMM_SELF, keys[2]);
    CHECK_INT(calls, 1);
    calls = 0;
    int rc = csp_test_done();
    check_end();
    return rc;
}
#else
SESSIONS_MISSING
#endif
