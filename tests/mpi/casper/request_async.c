// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Request-based operations whose results a ghost has still to bring are begun, not completed, by their call: all ghosts are
// stopped while an origin issues them. Other requests complete beside them, and completion calls tell which are over.
#include <signal.h>

#include "casper_ghosts.h"

enum { N = 16, ORIGIN = 0, OTHER = 1, TAG = 5 };
enum { PLAIN, STRIDED, FETCHED, MESSAGE, REQS };

static long ghosts[CASPER_GHOSTS_MOST];
static int nghosts;

static char state_of(long pid)
{
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    if (f)
        fclose(f);
    return state;
}

static void stop_ghosts(void)
{
    for (int i = 0; i < nghosts; i++)
        kill((pid_t)ghosts[i], SIGSTOP);
    for (int i = 0; i < nghosts; i++)
        while (state_of(ghosts[i]) != 'T')
            usleep(1000);
}

static void wake_ghosts(void)
{
    for (int i = 0; i < nghosts; i++)
        kill((pid_t)ghosts[i], SIGCONT);
}

struct data {
    int plain[N], strided[2 * N], fetched[N], ones[N], message;
    MPI_Request reqs[REQS];
};

static MPI_Datatype every_second(void)
{
    MPI_Datatype type;
    MPI_Type_vector(N, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void check(const struct data *d, int target)
{
    for (int i = 0; i < N; i++) {
        CHECK_INT(d->plain[i], 100 * target + i);
        CHECK_INT(d->strided[2 * i], 100 * target + N + i);
        CHECK_INT(d->fetched[i], 100 * target + 2 * N + i);
    }
}

// None of the ghosts' answers is here.
static void look(struct data *d)
{
    MPI_Status status;
    int flag, index, count, indices[REQS];
    MPI_Test(&d->reqs[PLAIN], &flag, &status);
    CHECK(!flag && d->reqs[PLAIN] != MPI_REQUEST_NULL);
    MPI_Request_get_status(d->reqs[STRIDED], &flag, &status);
    CHECK(!flag);
    MPI_Testall(MESSAGE, d->reqs, &flag, MPI_STATUSES_IGNORE);
    CHECK(!flag);
    MPI_Testany(MESSAGE, d->reqs, &index, &flag, &status);
    CHECK(!flag && index == MPI_UNDEFINED);
    MPI_Waitany(REQS, d->reqs, &index, &status);
    CHECK_INT(index, MESSAGE);
    CHECK_INT(status.MPI_SOURCE, OTHER);
    CHECK_INT(d->message, 7);
    MPI_Testsome(REQS, d->reqs, &count, indices, MPI_STATUSES_IGNORE);
    CHECK_INT(count, 0);
}

static void issue(struct data *d, int target, MPI_Aint at, MPI_Win win)
{
    MPI_Datatype second = every_second();
    csp_test_poison(d, sizeof *d);
    for (int i = 0; i < N; i++)
        d->ones[i] = 1;
    MPI_Rget(d->plain, N, MPI_INT, target, at, N, MPI_INT, win, &d->reqs[PLAIN]);
    MPI_Rget(d->strided, 1, second, target, at + N * (MPI_Aint)sizeof(int), N, MPI_INT, win,
             &d->reqs[STRIDED]);
    MPI_Rget_accumulate(d->ones, N, MPI_INT, d->fetched, N, MPI_INT, target,
                        at + 2 * N * (MPI_Aint)sizeof(int), N, MPI_INT, MPI_SUM, win,
                        &d->reqs[FETCHED]);
    MPI_Irecv(&d->message, 1, MPI_INT, OTHER, TAG, MPI_COMM_WORLD, &d->reqs[MESSAGE]);
    MPI_Type_free(&second);
}

static void leave(MPI_Win *win)
{
    if (*win == MPI_WIN_NULL)
        return;
    MPI_Win_unlock_all(*win);
    MPI_Win_free(win);
}

// `how`: the requests are completed by themselves, after a flush, or after the window is gone.
static void software(MPI_Win *win, int target, MPI_Aint at, int how)
{
    struct data d;
    MPI_Status statuses[MESSAGE];
    int first;
    MPI_Get(&first, 1, MPI_INT, target, at, 1, MPI_INT, *win); // the lock is there from now on
    MPI_Win_flush(target, *win);
    stop_ghosts();
    PHASE("issue");
    issue(&d, target, at, *win);
    PHASE("look");
    look(&d);
    wake_ghosts();
    PHASE("complete");
    if (how == 1)
        MPI_Win_flush_all(*win);
    if (how == 2)
        leave(win);
    if (how)
        check(&d, target);
    if (how == 1) // erroneous, but libraries let it pass
        MPI_Request_free(&d.reqs[STRIDED]);
    MPI_Waitall(MESSAGE, d.reqs, statuses);
    for (int i = 0; i < MESSAGE; i++)
        CHECK(d.reqs[i] == MPI_REQUEST_NULL);
    check(&d, target);
}

static void fill(MPI_Win win, int *base)
{
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < 3 * N; i++)
        base[i] = 100 * csp_test_rank + i;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void created(int dynamic, int how)
{
    static int mine[3 * N];
    MPI_Aint at = 0, ats[CASPER_USERS_MOST] = {0};
    MPI_Win win;
    int target = csp_test_size - 1, seven = 7;
    if (dynamic) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_attach(win, mine, sizeof mine);
        MPI_Get_address(mine, &at);
    } else {
        MPI_Win_create(mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    MPI_Allgather(&at, 1, MPI_AINT, ats, 1, MPI_AINT, MPI_COMM_WORLD);
    fill(win, mine);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == OTHER)
        MPI_Send(&seven, 1, MPI_INT, ORIGIN, TAG, MPI_COMM_WORLD);
    if (csp_test_rank == ORIGIN)
        software(&win, target, ats[target], how);
    leave(&win);
}

// MPICH's requests of strided data are of no use: Casper's own take their place.
static void allocated(void)
{
    MPI_Win win;
    MPI_Request request;
    MPI_Datatype second = every_second();
    int got[2 * N], first, target = csp_test_size - 1;
    int *base = csp_test_win_new(3 * N * sizeof(int), 1, MPI_COMM_WORLD, &win);
    fill(win, base);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == ORIGIN) {
        MPI_Get(&first, 1, MPI_INT, target, 0, 1, MPI_INT, win);
        MPI_Win_flush(target, win);
        stop_ghosts();
        PHASE("strided");
        MPI_Rget(got, 1, second, target, 0, N, MPI_INT, win, &request);
        wake_ghosts();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++)
            CHECK_INT(got[2 * i], 100 * target + i);
    }
    leave(&win);
    MPI_Type_free(&second);
}

int main(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int bytes;
    csp_test_init();
    casper_only();
    csp_test_need(4);
    nghosts = casper_ghosts_find(ghosts);
    CHECK_INT(nghosts, casper_only_ghosts() * casper_only_nodes());
    for (int how = 0; how < 3; how++)
        for (int dynamic = 0; dynamic < 2; dynamic++)
            created(dynamic, how);
    MPI_Get_library_version(version, &bytes);
    if (strncmp(version, "MPICH", 5) == 0)
        allocated();
    return csp_test_done();
}
