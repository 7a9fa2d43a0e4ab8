// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Hints never change results: windows made with the standard ones and with those of the original
// Casper, used in truth to what they promise.
#include "csp_test_rma.h"

struct hint {
    const char *key, *value;
    unsigned epochs; // bits of enum csp_test_epoch that it leaves
};

static void run(const struct hint *h)
{
    MPI_Info info;
    MPI_Win win;
    int *base, to = (csp_test_rank + 1) % csp_test_size, old = -1;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size, value, one = 1;
    PHASE(h->value);
    MPI_Info_create(&info);
    MPI_Info_set(info, h->key, h->value);
    MPI_Win_allocate(64, sizeof(int), info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_free(&info);
    for (int kind = 0; kind < CSP_TEST_EPOCHS; kind++) {
        if (!(h->epochs >> kind & 1))
            continue;
        base[0] = base[1] = base[2] = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        value = csp_test_rank * 10 + kind;
        csp_test_epoch_open((enum csp_test_epoch)kind, win, MPI_COMM_WORLD);
        MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, win);
        MPI_Accumulate(&one, 1, MPI_INT, to, 1, 1, MPI_INT, MPI_SUM, win);
        MPI_Fetch_and_op(&one, &old, MPI_INT, to, 2, MPI_SUM, win);
        if (kind == CSP_TEST_FENCE)
            MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        else if (kind == CSP_TEST_PSCW) {
            MPI_Win_complete(win);
            MPI_Win_wait(win);
        } else
            csp_test_epoch_close((enum csp_test_epoch)kind, win, MPI_COMM_WORLD);
        CHECK_INT(base[0], from * 10 + kind);
        CHECK_INT(base[1], 1);
        CHECK_INT(base[2], 1);
        CHECK_INT(old, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
}

// What a window tells of itself may be given to another one. That redirection can change has its price, so a window for
// which nobody asked for it does not say so.
static void of_another(void)
{
    MPI_Info info;
    MPI_Win win;
    int *base, flag = 0;
    char text[8];
    if (getenv("CSP_ASYNC_CONFIG"))
        return;
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "async_config", sizeof(text) - 1, text, &flag);
    CHECK_INT(flag, 0);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
}

int main(void)
{
    static const struct hint all[] = {
        {"no_locks", "true", 3},
        {"same_size", "true", 15},
        {"same_disp_unit", "true", 15},
        {"accumulate_ops", "same_op", 15},
        {"accumulate_ordering", "none", 15},
        {"mpi_assert_memory_alloc_kinds", "system", 15},
        {"alloc_shared_noncontig", "true", 15},
        {"epochs_used", "fence|pscw|lock|lockall", 15},
        {"async_config", "on", 15},
        {"async_config", "off", 15},
        {"no_local_load_store", "false", 15},
        {"accumulate_granularity", "4", 15},
        {"mpi_minimum_memory_alignment", "64", 15},
        {"casper_acc_ghost", "segment", 15},
        {"casper_putget_ghost", "bytes", 15},
        {"casper_putget_ghost", "operations", 15},
    };
    csp_test_init();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        run(&all[i]);
    of_another();
    return csp_test_done();
}
