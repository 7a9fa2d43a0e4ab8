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
enum { ALL_EPOCHS = CSP_EPOCH_FENCE | CSP_EPOCH_PSCW | CSP_EPOCH_LOCK | CSP_EPOCH_LOCKALL };

static const char ALIGNMENT[] = "mpi_minimum_memory_alignment";

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
    if (!csp_info_get(info, ALIGNMENT, text) || csp_mpi.Info_dup(info, &mine) != MPI_SUCCESS)
        return info;
    csp_mpi.Info_delete(mine, ALIGNMENT);
    return mine;
}

static void set_choice(MPI_Info info, const char *key, const char *const *names, int *value)
{
    *value = (int)csp_info_choice(info, key, names, (uint32_t)*value);
}

// A list with commas, or with bars as the first Casper had it. An unknown word: nothing is promised.
static void read_epochs(MPI_Info info, unsigned *value)
{
    char text[CSP_INFO_VALUE_BYTES];
    unsigned all = 0;
    if (!csp_info_get(info, CASPER_INFO_EPOCHS_USED, text))
        return;
    for (const char *at = text; *at;) {
        size_t n = strcspn(at, ",| ");
        int i = csp_info_find(epochs, at, n);
        if (n > 0 && i < 0) {
            csp_info_refuse(CASPER_INFO_EPOCHS_USED, text);
            return;
        }
        all |= n > 0 ? 1U << i : 0;
        at += at[n] ? n + 1 : n;
    }
    if (all)
        *value = all;
}

void csp_hints_init(struct csp_hints *h)
{
    *h = (struct csp_hints){.epochs = ALL_EPOCHS};
}

void csp_hints_read(struct csp_hints *h, MPI_Info info)
{
    set_choice(info, "no_locks", bools, &h->no_locks);
    set_choice(info, "same_size", bools, &h->same_size);
    set_choice(info, "same_disp_unit", bools, &h->same_disp_unit);
    set_choice(info, "accumulate_ops", ops, &h->same_op);
    set_choice(info, CASPER_INFO_NO_LOCAL, bools, &h->no_local);
    read_epochs(info, &h->epochs);
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

static void put_epochs(struct answer *a, const struct csp_hints *h)
{
    char text[CSP_INFO_VALUE_BYTES] = "";
    for (int i = 0, n = 0; epochs[i]; i++)
        if (!csp_hints_exclude(h, (enum csp_epoch_kind)(1 << i)))
            n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%s", n ? "," : "", epochs[i]);
    put(a, CASPER_INFO_EPOCHS_USED, text);
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
    put(a, "accumulate_ordering", "rar,raw,war,waw"); // whatever less the program would do with
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
    int rc = csp_mpi.Win_set_info(w->handle, info);
    if (rc != MPI_SUCCESS)
        return rc;
    csp_hints_read(&w->hints, info);
    return csp_async_set(w, info);
}
