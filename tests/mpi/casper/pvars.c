// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Casper's performance variables of the tool interface: found before MPI_Init, counted while the program runs, there after
// MPI_Finalize; what must not be done with them is refused; those of the library are as they were.
#include "casper_only.h"

enum { PUTS = 7, FOPS = 5, NAME = 256, ROOM = 65536 };

static MPI_T_pvar_session session;

static int find(const char *name, int var_class)
{
    int index = -1;
    CHECK_INT(MPI_T_pvar_get_index(name, var_class, &index), MPI_SUCCESS);
    return index;
}

static MPI_T_pvar_handle open_var(const char *name, int var_class)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int count = 0;
    CHECK_INT(MPI_T_pvar_handle_alloc(session, find(name, var_class), NULL, &handle, &count),
              MPI_SUCCESS);
    CHECK_INT(count, 1);
    return handle;
}

static long long look(MPI_T_pvar_handle handle)
{
    unsigned long long value = 1ULL << 60;
    CHECK_INT(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return (long long)value;
}

static long long look_by_name(const char *name, int var_class)
{
    MPI_T_pvar_handle handle = open_var(name, var_class);
    long long value = look(handle);
    CHECK_INT(MPI_T_pvar_handle_free(session, &handle), MPI_SUCCESS);
    CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
    return value;
}

static void refused(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;
    MPI_T_pvar_session other;
    CHECK_INT(MPI_T_pvar_start(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_INT(MPI_T_pvar_stop(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_INT(MPI_T_pvar_write(session, handle, &value), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_INT(MPI_T_pvar_reset(session, handle), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_INT(MPI_T_pvar_readreset(session, handle, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
    CHECK_INT(MPI_T_pvar_session_create(&other), MPI_SUCCESS);
    CHECK_INT(MPI_T_pvar_read(other, handle, &value), MPI_T_ERR_INVALID_SESSION);
    CHECK_INT(MPI_T_pvar_session_free(&other), MPI_SUCCESS);
}

// For a variable of the library: whatever it is, it is the library's to say.
static void use_library_var(int index, int bind)
{
    static unsigned long long buf[ROOM / 8];
    MPI_T_pvar_handle handle;
    int count = 0;
    if (bind != MPI_T_BIND_NO_OBJECT ||
        MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) != MPI_SUCCESS)
        return;
    MPI_T_pvar_start(session, handle); // may be continuous
    if (count * sizeof(buf[0]) <= sizeof(buf))
        MPI_T_pvar_read(session, handle, buf);
    CHECK_INT(MPI_T_pvar_handle_free(session, &handle), MPI_SUCCESS);
}

// @return how many are Casper's.
static int list(void)
{
    int n = 0, own = 0;
    CHECK_INT(MPI_T_pvar_get_num(&n), MPI_SUCCESS);
    for (int i = 0; i < n; i++) {
        char name[NAME], desc[NAME], half[5];
        int name_len = NAME, desc_len = NAME, half_len = sizeof half, verbosity, var_class, bind;
        int readonly, continuous, atomic, whole_len = 0;
        MPI_Datatype type;
        MPI_T_enum values;
        int rc = MPI_T_pvar_get_info(i, name, &name_len, &verbosity, &var_class, &type, &values,
                                     desc, &desc_len, &bind, &readonly, &continuous, &atomic);
        if (rc != MPI_SUCCESS) // of a component that the library has closed
            continue;
        if (strncmp(name, "casper_", 7) != 0) {
            use_library_var(i, bind);
            continue;
        }
        own++;
        CHECK_INT(find(name, var_class), i);
        CHECK_INT(name_len, (int)strlen(name) + 1);
        CHECK(desc_len > 1 && readonly == 1 && continuous == 1 && atomic == 0);
        CHECK(bind == MPI_T_BIND_NO_OBJECT && type == MPI_UNSIGNED_LONG_LONG);
        MPI_T_pvar_get_info(i, NULL, &whole_len, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                            NULL, NULL);
        CHECK_INT(whole_len, name_len);
        MPI_T_pvar_get_info(i, half, &half_len, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                            NULL, NULL);
        CHECK_STR(half, "casp");
    }
    return own;
}

static void operate(void)
{
    static const long one = 1;
    long got;
    MPI_Win win;
    int next = (csp_test_rank + 1) % csp_test_size;
    long *base = csp_test_win_new((PUTS + 1) * sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, (PUTS + 1) * sizeof(long), 0);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < PUTS; i++)
        MPI_Put(&one, 1, MPI_LONG, next, 1 + i, 1, MPI_LONG, win);
    for (int i = 0; i < FOPS; i++) {
        MPI_Fetch_and_op(&one, &got, MPI_LONG, next, 0, MPI_SUM, win);
        MPI_Win_flush(next, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

static int categories_are_in_range(void)
{
    int n = 0, categories = 0, ok = 1;
    MPI_T_pvar_get_num(&n);
    MPI_T_category_get_num(&categories);
    for (int i = 0; i < categories; i++) {
        int pvars = 0, name_len = 0, desc_len = 0, cvars, sub;
        MPI_T_category_get_info(i, NULL, &name_len, NULL, &desc_len, &cvars, &pvars, &sub);
        int *indices = calloc((size_t)pvars + 1, sizeof(int));
        MPI_T_category_get_pvars(i, pvars, indices);
        for (int k = 0; k < pvars; k++)
            ok &= indices[k] >= 0 && indices[k] < n;
        free(indices);
    }
    return ok;
}

static void counts(MPI_T_pvar_handle puts)
{
    int on = casper_only_ghosts() > 0;
    CHECK_INT(look(puts), 0);
    operate();
    CHECK_INT(look(puts), on ? PUTS : 0);
    CHECK_INT(look_by_name("casper_fop_count", MPI_T_PVAR_CLASS_COUNTER), on ? FOPS : 0);
    long long done = 0;
    static const char *const routes[] = {"casper_direct_count", "casper_ghost_node_count",
                                         "casper_ghost_net_count", "casper_target_count"};
    for (int i = 0; i < 4; i++)
        done += look_by_name(routes[i], MPI_T_PVAR_CLASS_COUNTER);
    CHECK(on ? done >= PUTS + FOPS : done == 0);
    CHECK((look_by_name("casper_flush_wait_ns", MPI_T_PVAR_CLASS_TIMER) > 0) == on);
    if (!on)
        return;
    for (double end = MPI_Wtime() + 10; MPI_Wtime() < end;) // ghosts tell theirs every 10 ms
        if (look_by_name("casper_ghosts_life_ns", MPI_T_PVAR_CLASS_TIMER) > 0)
            return;
    CHECK(0);
}

int main(void)
{
    int provided, index, own, errors;
    CHECK(MPI_T_pvar_get_index("casper_put_count", MPI_T_PVAR_CLASS_COUNTER, &index) !=
          MPI_SUCCESS); // not initialised
    CHECK_INT(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    int there =
        MPI_T_pvar_get_index("casper_put_count", MPI_T_PVAR_CLASS_COUNTER, &index) == MPI_SUCCESS;
    if (!there) {
        csp_test_init();
        CHECK_INT(casper_only_ghosts(), 0);
        csp_test_skip("needs Casper");
    }
    CHECK_INT(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    MPI_T_pvar_handle puts = open_var("casper_put_count", MPI_T_PVAR_CLASS_COUNTER);
    own = list();
    CHECK(own > 20);
    csp_test_init();
    CHECK_INT(find("casper_put_count", MPI_T_PVAR_CLASS_COUNTER), index);
    CHECK_INT(
        MPI_T_pvar_get_index("casper_put_count", MPI_T_PVAR_CLASS_TIMER, &index) == MPI_SUCCESS, 0);
    counts(puts);
    refused(puts);
#ifndef MPI_ABI_VERSION // MPICH 5.0.2 takes the standard ABI's MPI_T_PVAR_ALL_HANDLES for a pointer
    CHECK_INT(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_INT(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_INT(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
#endif
    CHECK_INT(list(), own);
    CHECK(categories_are_in_range());
    errors = csp_test_done();
    CHECK_INT(look(puts), casper_only_ghosts() > 0 ? PUTS : 0);
    MPI_T_pvar_handle freed = puts;
    CHECK_INT(MPI_T_pvar_handle_free(session, &puts), MPI_SUCCESS);
    CHECK_INT(MPI_T_pvar_handle_free(session, &freed), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_INT(MPI_T_finalize(), MPI_SUCCESS);
    return errors || atomic_load(&csp_test_errors);
}
