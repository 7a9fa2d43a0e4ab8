// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Init_thread gives at most what the library can do and what is asked for is not silently
// lowered below what the plain library would give; the argument is the level to ask for (0 to 3).
#include "csp_test.h"

int main(int argc, char **argv)
{
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                          MPI_THREAD_MULTIPLE};
    int required = levels[argc > 1 ? atoi(argv[1]) % 4 : 3], provided = -1, queried = -2;
    csp_test_init_thread(required, &provided);
    MPI_Query_thread(&queried);
    CHECK_INT(queried, provided);
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    CHECK(provided >= required); // all libraries here can
    return csp_test_done();
}
