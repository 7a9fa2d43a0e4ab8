// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Created and dynamic windows are redirected, or, as the variable wants, not; shared ones are not. All
// work, and the report counts them.
#include "casper_only.h"

static int in_report(const char *what)
{
    static char text[1 << 20];
    FILE *f = fopen(getenv("CSP_REPORT_FILE"), "r");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    const char *at = strstr(text, "\"total\"");
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", what);
    at = at ? strstr(at, "\"windows\"") : NULL;
    at = at ? strstr(at, key) : NULL;
    return at ? atoi(at + strlen(key)) : -1;
}

int main(void)
{
    csp_test_init();
    casper_only();
    MPI_Win win;
    MPI_Comm node;
    int memory[4] = {0}, value = csp_test_rank, *base;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (csp_test_rank + 1) % csp_test_size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK_INT(memory[0], (csp_test_rank + csp_test_size - 1) % csp_test_size);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, node, &base, &win);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    int rank = csp_test_rank, code = csp_test_done();
    if (rank != 0)
        return code;
    const char *wish = getenv("CSP_CREATED_WINDOWS");
    int plain = wish && strcmp(wish, "plain") == 0;
    CHECK_INT(in_report("create"), plain ? csp_test_size : 0);
    CHECK_INT(in_report("dynamic"), plain ? csp_test_size : 0);
    CHECK_INT(in_report("software"), plain ? 0 : 2 * csp_test_size);
    CHECK(in_report("allocate_shared") >= 1);
    return code || atomic_load(&csp_test_errors);
}
