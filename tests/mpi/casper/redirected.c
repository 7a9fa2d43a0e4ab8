// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The operations really go through ghosts: the counts of the run's own report (CSP_REPORT_FILE) are
// those of this program, by kind, and those to other nodes took the way through a ghost.
#include "casper_only.h"

static char text[1 << 20];

static int read_report(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    return n > 0;
}

// The number behind "total" ... "KIND" ... "route" ... "count"; -1 if there is none.
static long count(const char *kind, const char *route)
{
    char key[64];
    const char *at = strstr(text, "\"total\"");
    snprintf(key, sizeof key, "\"%s\"", kind);
    at = at ? strstr(at, key) : NULL;
    snprintf(key, sizeof key, "\"%s\"", route);
    at = at ? strstr(at, key) : NULL;
    at = at ? strstr(at, "\"count\":") : NULL;
    return at ? strtol(at + strlen("\"count\":"), NULL, 10) : -1;
}

static long all_routes(const char *kind)
{
    return count(kind, "direct") + count(kind, "ghost_node") + count(kind, "ghost_net");
}

enum { ROUNDS = 10 };

static void work(MPI_Win win)
{
    const int one = 1;
    int got, zero = 0;
    MPI_Win_lock_all(0, win);
    for (int r = 0; r < ROUNDS; r++)
        for (int t = 0; t < csp_test_size; t++) {
            MPI_Put(&one, 1, MPI_INT, t, 0, 1, MPI_INT, win);
            MPI_Get(&got, 1, MPI_INT, t, 1, 1, MPI_INT, win);
            MPI_Accumulate(&one, 1, MPI_INT, t, 2, 1, MPI_INT, MPI_SUM, win);
            MPI_Get_accumulate(&one, 1, MPI_INT, &got, 1, MPI_INT, t, 2, 1, MPI_INT, MPI_SUM, win);
            MPI_Fetch_and_op(&one, &got, MPI_INT, t, 2, MPI_SUM, win);
            MPI_Compare_and_swap(&one, &zero, &got, MPI_INT, t, 3, win);
            MPI_Win_flush(t, win);
        }
    MPI_Win_unlock_all(win);
}

static int check_report(int off_node)
{
    static const char *const kinds[] = {"PUT", "GET", "ACC", "GET_ACC", "FOP", "CAS"};
    long each = (long)ROUNDS * csp_test_size * csp_test_size;
    CHECK_MSG(read_report(getenv("CSP_REPORT_FILE")), "no report in %s", getenv("CSP_REPORT_FILE"));
    for (int k = 0; k < 6; k++) {
        CHECK_MSG(all_routes(kinds[k]) == each, "%s: %ld operations in the report, not %ld",
                  kinds[k], all_routes(kinds[k]), each);
        CHECK_MSG(count(kinds[k], "ghost_net") == (long)ROUNDS * off_node,
                  "%s: %ld through ghosts of other nodes, not %d", kinds[k],
                  count(kinds[k], "ghost_net"), ROUNDS * off_node);
    }
    CHECK(strstr(text, "\"windows\""));
    return atomic_load(&csp_test_errors) ? 1 : 0;
}

int main(void)
{
    csp_test_init();
    casper_only();
    MPI_Win win;
    MPI_Comm node;
    int on_node, off_node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &on_node);
    off_node = csp_test_size - on_node; // pairs of ranks on different nodes
    MPI_Allreduce(MPI_IN_PLACE, &off_node, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &win);
    work(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    int rank = csp_test_rank, code = csp_test_done();
    return rank == 0 ? check_report(off_node) || code : code;
}
