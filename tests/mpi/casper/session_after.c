// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A session that is opened after MPI_Finalize is refused: the library would wait for the ghosts, which have left.
#include "casper_only.h"
#include "world/sessions.h"

#if CSP_HAVE_MPI_Session_init
int main(void)
{
    csp_test_init();
    casper_only();
    int code = csp_test_done();
    for (int i = 0; i < 2; i++) {
        MPI_Session session = MPI_SESSION_NULL;
        CHECK_INT(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_ERR_OTHER);
        CHECK(session == MPI_SESSION_NULL);
    }
    return code || atomic_load(&csp_test_errors);
}
#else
SESSIONS_MISSING
#endif
