// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Win_get_info says what is in force, on each kind of window: defaults, hints at creation and by
// MPI_Win_set_info, Casper's own keys; unknown ones are dropped. What a hint excluded is an error of class
// MPI_ERR_RMA_SYNC on the window's handler, and the rest works.
#include "kinds.h"

static void has(const struct kind_win *k, const char *key, const char *want)
{
    MPI_Info info;
    char text[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Win_get_info(k->win, &info);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, &flag);
    MPI_Info_free(&info);
    if (!flag != !want || (want && strcmp(text, want) != 0))
        FAIL("%s: %s is \"%s\", not \"%s\"", kind_name(k->kind), key, flag ? text : "(missing)",
             want ? want : "(missing)");
}

static void set(const struct kind_win *k, const char *key, const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Win_set_info(k->win, info);
    MPI_Info_free(&info);
}

static struct kind_win make(enum kind kind, const char *const (*hints)[2])
{
    MPI_Info info;
    MPI_Info_create(&info);
    for (; (*hints)[0]; hints++)
        MPI_Info_set(info, (*hints)[0], (*hints)[1]);
    struct kind_win k = kind_make(kind, info);
    MPI_Info_free(&info);
    return k;
}

static void defaults(enum kind kind)
{
    static const char *const none[][2] = {{"a_key_that_nobody_knows", "1"}, {NULL, NULL}};
    struct kind_win k = make(kind, none);
    has(&k, "a_key_that_nobody_knows", NULL);
    has(&k, "no_locks", "false");
    has(&k, "accumulate_ordering", "rar,raw,war,waw");
    has(&k, "accumulate_ops", "same_op_no_op");
    has(&k, "same_size", "false");
    has(&k, "same_disp_unit", "false");
    has(&k, "mpi_memory_alloc_kinds", "system,mpi");
    has(&k, "epochs_used", "fence,pscw,lock,lockall");
    has(&k, "no_local_load_store", "false");
    has(&k, "casper_acc_ghost", "rank");
    has(&k, "casper_putget_ghost", "bound");
    has(&k, "casper_route", kind_mapped(kind) ? "redirected" : "software");
    has(&k, "mpi_minimum_memory_alignment",
        kind == KIND_ALLOCATED ? "64"
        : kind == KIND_ALIGNED ? "65536"
                               : NULL);
    has(&k, "alloc_shared_noncontig", kind <= KIND_ALIGNED ? "true" : NULL);
    CHECK_INT((uintptr_t)k.base % (kind == KIND_ALIGNED ? 65536 : 1), 0);
    kind_free(&k);
}

static void at_creation(enum kind kind)
{
    static const char *const some[][2] = {
        {"no_locks", "perhaps"},          {"accumulate_ordering", "none"},
        {"accumulate_ops", "same_op"},    {"same_size", "true"},
        {"same_disp_unit", "true"},       {"epochs_used", "pscw|lock"},
        {"no_local_load_store", "true"},  {"casper_acc_ghost", "segment"},
        {"casper_putget_ghost", "bytes"}, {NULL, NULL}};
    struct kind_win k = make(kind, some);
    int several = casper_only_ghosts() > 1, one_node = casper_only_nodes() < 2;
    has(&k, "no_locks", "false");
    has(&k, "accumulate_ordering", "none");
    has(&k, "accumulate_ops", "same_op");
    has(&k, "same_size", "true");
    has(&k, "same_disp_unit", "true");
    has(&k, "epochs_used", "pscw,lock");
    has(&k, "no_local_load_store", "true");
    has(&k, "casper_acc_ghost",
        several && kind_mapped(kind) && (one_node || !casper_only_soft_acc()) ? "segment" : "rank");
    has(&k, "casper_putget_ghost", several ? "bytes" : "bound");
    set(&k, "accumulate_ordering", "waw,rar");
    has(&k, "accumulate_ordering", "rar,waw");
    set(&k, "accumulate_ordering", "waw,unheard_of");
    has(&k, "accumulate_ordering", "rar,waw");
    set(&k, "epochs_used", "lockall,unheard_of");
    has(&k, "epochs_used", "pscw,lock");
    set(&k, "epochs_used", "lockall");
    has(&k, "epochs_used", "lockall");
    has(&k, "accumulate_ops", "same_op");
    kind_free(&k);
}

static int calls, last_class;

static void on_error(MPI_Win *win, int *code, ...)
{
    (void)win;
    calls++;
    MPI_Error_class(*code, &last_class);
}

static void use(const struct kind_win *k, enum csp_test_epoch epoch, int works)
{
    int to = (csp_test_rank + 1) % csp_test_size, one = 1;
    PHASE(csp_test_epoch_name(epoch));
    calls = last_class = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_epoch_open(epoch, k->win, MPI_COMM_WORLD);
    if (!works) {
        CHECK(calls > 0);
        CHECK_INT(last_class, MPI_ERR_RMA_SYNC);
        return;
    }
    MPI_Accumulate(&one, 1, MPI_INT, to, k->at[to], 1, MPI_INT, MPI_SUM, k->win);
    if (epoch == CSP_TEST_LOCK_ALL)
        MPI_Win_unlock_all(k->win);
    else if (epoch == CSP_TEST_LOCK)
        for (int t = 0; t < csp_test_size; t++)
            MPI_Win_unlock(t, k->win);
    else if (epoch == CSP_TEST_FENCE)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, k->win);
    else {
        MPI_Win_complete(k->win);
        MPI_Win_wait(k->win);
    }
    CHECK_INT(calls, 0);
}

static void excluded(enum kind kind)
{
    static const char *const none[][2] = {{NULL, NULL}};
    static const char *const names[] = {"fence", "pscw", "lock", "lockall"};
    struct kind_win k = make(kind, none);
    MPI_Errhandler mine;
    int sum = 0;
    k.base[0] = 0;
    MPI_Win_create_errhandler(on_error, &mine);
    MPI_Win_set_errhandler(k.win, mine);
    for (int only = 0; only < CSP_TEST_EPOCHS; only++) {
        set(&k, "epochs_used", names[only]);
        for (int e = 0; e < CSP_TEST_EPOCHS; e++)
            use(&k, (enum csp_test_epoch)e, e == only);
        sum++;
    }
    set(&k, "epochs_used", "fence,pscw,lock,lockall");
    set(&k, "no_locks", "true");
    has(&k, "no_locks", "true");
    has(&k, "epochs_used", "fence,pscw");
    for (int e = 0; e < CSP_TEST_EPOCHS; e++)
        use(&k, (enum csp_test_epoch)e, e < CSP_TEST_LOCK);
    sum += 2;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(k.base[0], sum);
    MPI_Errhandler_free(&mine);
    kind_free(&k);
}

int main(void)
{
    csp_test_init();
    casper_only();
    for (int kind = 0; kind < KINDS; kind++) {
        defaults((enum kind)kind);
        at_creation((enum kind)kind);
        excluded((enum kind)kind);
    }
    return csp_test_done();
}
