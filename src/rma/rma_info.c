// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "casper/casper.h"
#include "rma/rma_async.h"
#include "rma/rma_bind.h"
#include "rma/rma_win.h"
#include "runtime/info.h"

static const char *const bools[] = {"false", "true", NULL};
static const char *const ops[] = {"same_op_no_op", "same_op", NULL};
static const char *const epochs[] = {"fence", "pscw", "lock", "lockall", NULL};
static const char *const orders[] = {"rar", "raw", "war", "waw", NULL};
enum { ALL = 15 }; // bits of epochs, of orders

static const char ALIGNMENT[] = "mpi_minimum_memory_alignment";
static const char ORDERING[] = "accumulate_ordering";
static const char NO_ORDER[] = "none";

uint64_t csp_info_alignment(MPI_Info info, uint64_t least)
{
    char text[CSP_INFO_VALUE_BYTES];
    uint64_t want = csp_info_get(info, ALIGNMENT, text) ? strtoull(text, NULL, 10) : 0;
    while (least < want && least < UINT64_C(1) << 40)
        least *= 2;
    return least;
}

MPI_Info csp_info_for_carrier(MPI_Info info)
{
    char text[CSP_INFO_VALUE_BYTES];
    MPI_Info mine;
    if (info == MPI_INFO_NULL || csp_mpi.Info_dup(info, &mine) != MPI_SUCCESS)
        return info;
    if (csp_info_get(mine, ALIGNMENT, text))
        csp_mpi.Info_delete(mine, ALIGNMENT);
    return mine;
}

static void set_choice(MPI_Info info, const char *key, const char *const *names, int *value)
{
    *value = (int)csp_info_choice(info, key, names, (uint32_t)*value);
}

// A list with commas, or with bars as the first Casper had it. An unknown word: nothing is promised.
// @return the bits of its words; 0: none, or the list is refused.
static unsigned read_list(const char *key, const char *text, const char *const *names)
{
    unsigned all = 0;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, ",| ");
        int i = csp_info_find(names, at, n);
        if (n > 0 && i < 0) {
            csp_info_refuse(key, text);
            return 0;
        }
        all |= n > 0 ? 1U << i : 0;
        at += at[n] ? n + 1 : n;
    }
    return all;
}

// `none`: the word for an empty list; NULL: there is no such word.
static void set_list(MPI_Info info, const char *key, const char *const *names, const char *none,
                     unsigned *value)
{
    char text[CSP_INFO_VALUE_BYTES];
    if (!csp_info_get(info, key, text))
        return;
    int empty = none && strcmp(text, none) == 0;
    unsigned all = empty ? 0 : read_list(key, text, names);
    if (all || empty)
        *value = all;
}

void csp_hints_init(struct csp_hints *h)
{
    *h = (struct csp_hints){.epochs = ALL, .order = ALL};
}

void csp_hints_read(struct csp_hints *h, MPI_Info info)
{
    set_choice(info, "no_locks", bools, &h->no_locks);
    set_choice(info, "same_size", bools, &h->same_size);
    set_choice(info, "same_disp_unit", bools, &h->same_disp_unit);
    set_choice(info, "accumulate_ops", ops, &h->same_op);
    set_choice(info, CASPER_INFO_NO_LOCAL, bools, &h->no_local);
    // Accumulates have every order all the same; what the program can do with is told it again, as by the libraries.
    set_list(info, ORDERING, orders, NO_ORDER, &h->order);
    set_list(info, CASPER_INFO_EPOCHS_USED, epochs, NULL, &h->epochs);
}

// The keys of one answer; the first error stays.
struct answer {
    MPI_Info info;
    int rc;
};

static void put(struct answer *a, const char *key, const char *value)
{
    if (a->rc == MPI_SUCCESS)
        a->rc = csp_mpi.Info_set(a->info, key, value);
}

static void put_list(struct answer *a, const char *key, const char *const *names, unsigned bits)
{
    char text[CSP_INFO_VALUE_BYTES] = "";
    for (int i = 0, n = 0; names[i]; i++)
        if (bits & (1U << i))
            n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", n ? "," : "", names[i]);
    put(a, key, text);
}

static void put_epochs(struct answer *a, const struct csp_hints *h)
{
    unsigned used = 0;
    for (int i = 0; epochs[i]; i++)
        used |= csp_hints_exclude(h, (enum csp_epoch_kind)(1 << i)) ? 0 : 1U << i;
    put_list(a, CASPER_INFO_EPOCHS_USED, epochs, used);
}

static int all_alike(const struct csp_win *w, int units)
{
    for (int i = 1; i < w->n; i++)
        if (units ? w->peers[i].disp_unit != w->peers[0].disp_unit
                  : w->peers[i].size != w->peers[0].size)
            return 0;
    return 1;
}

static void put_standard(struct answer *a, const struct csp_win *w)
{
    const struct csp_hints *h = &w->hints;
    put(a, "no_locks", bools[h->no_locks]);
    if (h->order)
        put_list(a, ORDERING, orders, h->order);
    else
        put(a, ORDERING, NO_ORDER);
    put(a, "accumulate_ops", ops[h->same_op]);
    put(a, "same_size", bools[h->same_size && all_alike(w, 0)]);
    put(a, "same_disp_unit", bools[h->same_disp_unit && all_alike(w, 1)]);
    put(a, "mpi_memory_alloc_kinds", "system,mpi");
    if (w->attr_flavor != MPI_WIN_FLAVOR_ALLOCATE)
        return;
    char text[CSP_INFO_VALUE_BYTES];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)w->align);
    put(a, ALIGNMENT, text);
    put(a, "alloc_shared_noncontig", "true"); // each part is a piece of memory of its own
}

static void put_own(struct answer *a, const struct csp_win *w)
{
    put_epochs(a, &w->hints);
    put(a, CASPER_INFO_NO_LOCAL, bools[w->hints.no_local]);
    put(a, CASPER_INFO_ACC_GHOST, csp_bind_acc_name(w));
    put(a, CASPER_INFO_PUTGET_GHOST, csp_bind_putget_name(w));
    if (w->may_change) // a window that is made with this answer may change, too, which has its price
        put(a, CASPER_INFO_ASYNC_CONFIG, csp_async_name(w));
    put(a, CASPER_INFO_ROUTE, w->iwin ? "redirected" : "software");
}

int csp_rma_win_get_info(struct csp_win *w, MPI_Info *info_used)
{
    struct answer a;
    a.rc = csp_mpi.Info_create(&a.info);
    if (a.rc != MPI_SUCCESS)
        return csp_win_raise(w, a.rc);
    put_standard(&a, w);
    put_own(&a, w);
    if (a.rc == MPI_SUCCESS)
        *info_used = a.info;
    else
        csp_mpi.Info_free(&a.info);
    return csp_win_rc(w, a.rc);
}

// The library looks at the handle, and raises what it finds on the carrier, which is the program's window.
int csp_rma_win_set_info(struct csp_win *w, MPI_Info info)
{
    MPI_Info given = csp_info_for_carrier(info);
    int rc = csp_mpi.Win_set_info(w->handle, given);
    if (given != info)
        csp_mpi.Info_free(&given);
    if (rc != MPI_SUCCESS)
        return rc;
    csp_hints_read(&w->hints, info);
    return csp_async_set(w, info);
}
