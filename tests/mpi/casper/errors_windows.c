// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What goes wrong at a ghost is raised on the window whose operation it was, by the flush of that window, whatever is
// flushed or waited for before in another window, whose handler ends the job.
#include "hole.h"

enum { MANY = 40 };

static const int one = 1;
static int memory[4], attached[4], got;
static MPI_Win other, win; // created; dynamic
static int target;

static void put_bad(const struct place *p)
{
    CHECK_CLASS(MPI_Put(&one, 1, MPI_INT, target, p->bad, 1, MPI_INT, win), MPI_SUCCESS);
}

// The operation that fails is the first under way, or is in the middle of others.
static void flush_other_first(const struct place *p, int before)
{
    for (int i = 0; i < before; i++)
        MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, other);
    put_bad(p);
    MPI_Put(&one, 1, MPI_INT, target, 1, 1, MPI_INT, other);
    MPI_Win_flush(target, other);
    CHECK_CLASS(MPI_Win_flush(target, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Win_flush(target, win), MPI_SUCCESS);
}

static void wait_for_other_first(const struct place *p)
{
    MPI_Request request;
    put_bad(p);
    MPI_Rget(&got, 1, MPI_INT, target, 0, 1, MPI_INT, other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(other);
    CHECK_CLASS(MPI_Win_flush_all(win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Win_flush_all(win), MPI_SUCCESS);
}

// The reply of the last operation tells that all are executed.
static void reply_behind(const struct place *p)
{
    for (int i = 0; i < MANY; i++) {
        MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, other);
        put_bad(p);
        MPI_Get(&got, 1, MPI_INT, target, p->good, 1, MPI_INT, win);
        CHECK_CLASS(MPI_Win_flush(target, win), MPI_ERR_RMA_RANGE);
        MPI_Win_flush(target, other);
        CHECK_CLASS(MPI_Win_flush(target, win), MPI_SUCCESS);
    }
}

int main(void)
{
    csp_test_init();
    casper_only();
    if (csp_test_size != 4 || casper_only_nodes() != 2)
        csp_test_skip("needs two nodes of two users");
    target = (csp_test_rank + 2) % 4;
    struct place theirs[4];
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    void *hole = hole_open(attached, sizeof attached, &win, theirs);
    MPI_Win_lock_all(0, other);
    MPI_Win_lock_all(0, win);
    PHASE("flush");
    for (int before = 0; before < MANY; before++)
        flush_other_first(&theirs[target], before);
    PHASE("request");
    wait_for_other_first(&theirs[target]);
    PHASE("reply");
    reply_behind(&theirs[target]);
    MPI_Win_unlock_all(win);
    MPI_Win_unlock_all(other);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(memory[1], 1);
    hole_close(hole, attached, &win);
    MPI_Win_free(&other);
    return csp_test_done();
}
