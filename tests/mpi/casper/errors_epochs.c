// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Epochs out of order, and calls on the wrong kind of window, raise the class of error that the standard has
// for it on every kind of window; nobody hangs, and the window works afterwards. Argument "off": with
// CSP_CHECKS=off operations need no epoch.
#include "kinds.h"

static int value = 7, checks = 1; // CSP_CHECKS

static int put(const struct kind_win *k, int target)
{
    MPI_Aint unit = k->kind == KIND_DYNAMIC ? 4 : 1;
    return MPI_Put(&value, 1, MPI_INT, target, k->at[target] + csp_test_rank * unit, 1, MPI_INT,
                   k->win);
}

static void without_epoch(const struct kind_win *k)
{
    PHASE("without an epoch");
    for (int t = 0; t < csp_test_size; t++)
        CHECK_CLASS(put(k, t), checks ? MPI_ERR_RMA_SYNC : MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_unlock(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_all(k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_local_all(k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_complete(k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_wait(k->win), MPI_ERR_RMA_SYNC);
    int flag;
    CHECK_CLASS(MPI_Win_test(k->win, &flag), MPI_ERR_RMA_SYNC);
}

static void in_passive(const struct kind_win *k)
{
    MPI_Group none = MPI_GROUP_EMPTY;
    PHASE("in lock_all");
    MPI_Win_lock_all(0, k->win);
    CHECK_CLASS(MPI_Win_lock_all(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_start(none, 0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush(csp_test_size, k->win), MPI_ERR_RANK);
    MPI_Win win = k->win;
    CHECK_CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    MPI_Win_unlock_all(k->win);
    PHASE("in lock");
    MPI_Win_lock(MPI_LOCK_SHARED, csp_test_rank, 0, k->win);
    for (int t = 0; t < csp_test_size; t++)
        if (t != csp_test_rank)
            CHECK_CLASS(put(k, t), checks ? MPI_ERR_RMA_SYNC : MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, csp_test_rank, 0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush((csp_test_rank + 1) % csp_test_size, k->win), MPI_ERR_RMA_SYNC);
    MPI_Win_unlock(csp_test_rank, k->win);
}

// Everybody exposes its part to itself, and may access that one alone.
static void in_active(const struct kind_win *k)
{
    MPI_Group all, self;
    MPI_Win_get_group(k->win, &all);
    MPI_Group_incl(all, 1, &csp_test_rank, &self);
    PHASE("in PSCW");
    MPI_Win_post(self, 0, k->win);
    CHECK_CLASS(MPI_Win_post(self, 0, k->win), MPI_ERR_RMA_SYNC);
    MPI_Win_start(self, 0, k->win);
    CHECK_CLASS(MPI_Win_start(self, 0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_fence(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_lock_all(0, k->win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_all(k->win), MPI_ERR_RMA_SYNC);
    for (int t = 0; t < csp_test_size; t++)
        CHECK_CLASS(put(k, t), t == csp_test_rank || !checks ? MPI_SUCCESS : MPI_ERR_RMA_SYNC);
    MPI_Win_complete(k->win);
    MPI_Win_wait(k->win);
    MPI_Group_free(&self);
    MPI_Group_free(&all);
}

static void arguments(const struct kind_win *k)
{
    MPI_Aint bytes;
    int unit, *peer, memory[4];
    PHASE("arguments");
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, csp_test_size, 0, k->win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Win_lock(-4711, 0, 0, k->win), MPI_ERR_LOCKTYPE);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOSTORE, k->win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_lock_all(MPI_MODE_NOPUT, k->win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOCHECK, k->win), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_start(MPI_GROUP_NULL, 0, k->win), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Win_post(MPI_GROUP_NULL, 0, k->win), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Win_post(MPI_GROUP_EMPTY, MPI_MODE_NOSUCCEED, k->win), MPI_ERR_ASSERT);
    int dynamic = k->kind == KIND_DYNAMIC;
    CHECK_CLASS(MPI_Win_shared_query(k->win, 0, &bytes, &unit, &peer),
                dynamic ? MPI_ERR_RMA_FLAVOR : MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_attach(k->win, memory, sizeof memory),
                dynamic ? MPI_SUCCESS : MPI_ERR_RMA_FLAVOR);
    if (dynamic) {
        CHECK_CLASS(MPI_Win_attach(k->win, memory + 1, 4), MPI_ERR_RMA_ATTACH);
        CHECK_CLASS(MPI_Win_attach(k->win, memory, -1), MPI_ERR_SIZE);
        CHECK_CLASS(MPI_Win_detach(k->win, memory + 1), MPI_ERR_BASE);
    }
    CHECK_CLASS(MPI_Win_detach(k->win, memory), dynamic ? MPI_SUCCESS : MPI_ERR_RMA_FLAVOR);
}

static void still_works(const struct kind_win *k)
{
    PHASE("afterwards");
    csp_test_win_fill(k->win, MPI_COMM_WORLD, k->base, KIND_BYTES, 0);
    MPI_Win_lock_all(0, k->win);
    for (int t = 0; t < csp_test_size; t++)
        CHECK_CLASS(put(k, t), MPI_SUCCESS);
    MPI_Win_unlock_all(k->win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int t = 0; t < KIND_WORDS; t++)
        CHECK_INT(k->base[t], t < csp_test_size ? value : 0);
}

static void run(const struct kind_win *k)
{
    without_epoch(k);
    in_passive(k);
    in_active(k);
    arguments(k);
    still_works(k);
}

int main(int argc, char **argv)
{
    csp_test_init();
    casper_only();
    checks = !(argc > 1 && strcmp(argv[1], "off") == 0);
    for_each_kind(run);
    return csp_test_done();
}
