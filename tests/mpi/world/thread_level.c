// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Init_thread gives at most what the library can do and what is asked for is not silently
// lowered below what the plain library would give; the argument is the level to ask for (0 to 3), or "init":
// MPI_Init gives the level that the library's own variable asks for.
#include "csp_test.h"

static int by_init(void)
{
    int level = -1;
    csp_test_limit();
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &csp_test_rank);
    MPI_Query_thread(&level);
    CHECK_INT(level, MPI_THREAD_MULTIPLE);
    return csp_test_done();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "init") == 0)
        return by_init();
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
