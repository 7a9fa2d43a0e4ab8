// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_type.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include "runtime/rt.h"

enum { SLOTS = 256 };

struct slot {
    _Atomic uintptr_t key; // release after `type`; a slot is written once
    struct csp_type type;
    _Atomic uint32_t asked, allowed; // operations, by their index; `asked` is released last
};

static struct slot slots[SLOTS];
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

static struct slot *slot_of(MPI_Datatype type)
{
    uint64_t h = (uint64_t)(uintptr_t)type * 0x9e3779b97f4a7c15u;
    return &slots[h >> 56];
}

static void remember(struct slot *s, MPI_Datatype type, const struct csp_type *t)
{
    pthread_mutex_lock(&writers);
    if (atomic_load_explicit(&s->key, memory_order_relaxed) == 0) {
        s->type = *t;
        atomic_store_explicit(&s->key, (uintptr_t)type, memory_order_release);
    }
    pthread_mutex_unlock(&writers);
}

static int ask(MPI_Datatype type, struct csp_type *t)
{
    MPI_Aint lb;
#if CSP_HAVE_MPI_Type_size_x
    MPI_Count size;
    int rc = csp_mpi.Type_size_x(type, &size);
#else
    int size, rc = csp_mpi.Type_size(type, &size);
#endif
    t->size = (MPI_Aint)size;
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Type_get_extent(type, &lb, &t->extent);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Type_get_true_extent(type, &t->true_lb, &t->true_extent);
    return rc;
}

int csp_type_get(MPI_Datatype type, struct csp_type *out)
{
    struct slot *s = slot_of(type);
    if (CSP_LIKELY(atomic_load_explicit(&s->key, memory_order_acquire) == (uintptr_t)type &&
                   (uintptr_t)type != 0)) {
        *out = s->type;
        return MPI_SUCCESS;
    }
    int ni, na, nd, combiner;
    if (type == MPI_DATATYPE_NULL)
        return MPI_ERR_TYPE;
    int rc = csp_mpi.Type_get_envelope(type, &ni, &na, &nd, &combiner);
    if (rc == MPI_SUCCESS)
        rc = ask(type, out);
    if (rc != MPI_SUCCESS)
        return rc;
    out->named = combiner == MPI_COMBINER_NAMED;
    out->contig = out->named && out->size == out->extent && out->true_lb == 0;
    if (out->named)
        remember(s, type, out);
    return MPI_SUCCESS;
}

// Envelope and contents of a derived type, whichever functions made it.
struct contents {
    MPI_Count ni, na, nl, nd;
    int combiner;
    MPI_Datatype *types; // [nd]
};

static int get_contents(MPI_Datatype type, struct contents *c)
{
#if CSP_HAVE_MPI_Type_get_contents_c
    int rc = csp_mpi.Type_get_envelope_c(type, &c->ni, &c->na, &c->nl, &c->nd, &c->combiner);
#else
    int ni, na, nd, rc = csp_mpi.Type_get_envelope(type, &ni, &na, &nd, &c->combiner);
    c->ni = ni, c->na = na, c->nl = 0, c->nd = nd;
#endif
    c->types = NULL;
    if (rc != MPI_SUCCESS || c->combiner == MPI_COMBINER_NAMED || c->nd == 0)
        return rc;
    // addresses are no larger than counts
    MPI_Count *room = malloc((size_t)(c->ni + c->na + c->nl + 1) * sizeof(*room));
    c->types = malloc((size_t)c->nd * sizeof(*c->types));
    int *ints = (int *)room;
    MPI_Aint *aints = (MPI_Aint *)(room + c->ni);
    if (!room || !c->types)
        rc = MPI_ERR_NO_MEM;
    else
#if CSP_HAVE_MPI_Type_get_contents_c
        rc = csp_mpi.Type_get_contents_c(type, c->ni, c->na, c->nl, c->nd, ints, aints,
                                         room + c->ni + c->na, c->types);
#else
        rc = csp_mpi.Type_get_contents(type, ni, na, nd, ints, aints, c->types);
#endif
    free(room);
    if (rc != MPI_SUCCESS) {
        free(c->types);
        c->types = NULL;
    }
    return rc;
}

// Frees the contents: the derived types are references of our own.
static int common_basic(const struct contents *c, MPI_Datatype *basic)
{
    int all = MPI_SUCCESS;
    for (MPI_Count i = 0; i < c->nd; i++) {
        struct csp_type info = {.named = 1};
        MPI_Datatype inner = MPI_DATATYPE_NULL;
        int rc = csp_type_get(c->types[i], &info);
        if (rc == MPI_SUCCESS)
            rc = csp_type_basic(c->types[i], &info, &inner);
        if (!info.named)
            csp_mpi.Type_free(&c->types[i]);
        if (rc == MPI_SUCCESS && i > 0 && inner != *basic)
            rc = MPI_ERR_TYPE;
        *basic = inner;
        if (all == MPI_SUCCESS)
            all = rc;
    }
    free(c->types);
    return all;
}

int csp_type_basic(MPI_Datatype type, const struct csp_type *info, MPI_Datatype *basic)
{
    struct contents c;
    *basic = type;
    if (info->named)
        return MPI_SUCCESS;
    int rc = get_contents(type, &c);
    return rc == MPI_SUCCESS && c.types ? common_basic(&c, basic) : rc;
}

static int op_index(MPI_Op op)
{
    const MPI_Op all[] = {MPI_SUM, MPI_MAX,  MPI_MIN, MPI_PROD, MPI_LAND,   MPI_BAND,
                          MPI_LOR, MPI_LXOR, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
    for (int i = 0; i < (int)(sizeof(all) / sizeof(*all)); i++)
        if (all[i] == op)
            return i;
    return -1;
}

// MPI_Reduce_local has no communicator whose error handler would be ours.
static int library_allows(MPI_Datatype named, MPI_Op op)
{
    long double in[8] = {0}, out[8] = {0}; // as large as any predefined type
    pthread_mutex_lock(&writers);
    int rc = csp_mpi.Reduce(in, out, 1, named, op, 0, csp_rt.self);
    pthread_mutex_unlock(&writers);
    return rc == MPI_SUCCESS;
}

int csp_type_allows(MPI_Datatype named, MPI_Op op)
{
    struct slot *s = slot_of(named);
    int i = op_index(op);
    if (i < 0)
        return 0;
    uint32_t bit = UINT32_C(1) << i;
    if (atomic_load_explicit(&s->key, memory_order_acquire) != (uintptr_t)named)
        return library_allows(named, op);
    if (!(atomic_load_explicit(&s->asked, memory_order_acquire) & bit)) {
        if (library_allows(named, op))
            atomic_fetch_or_explicit(&s->allowed, bit, memory_order_relaxed);
        atomic_fetch_or_explicit(&s->asked, bit, memory_order_release);
    }
    return (atomic_load_explicit(&s->allowed, memory_order_relaxed) & bit) != 0;
}
