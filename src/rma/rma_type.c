// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_type.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include "runtime/rt.h"

enum { SLOTS = 256 };

struct slot {
    _Atomic uintptr_t key; // release after `type`; a slot is written once
    struct csp_type type;
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
    int named = combiner == MPI_COMBINER_NAMED;
    out->contig = named && out->size == out->extent && out->true_lb == 0;
    if (named)
        remember(s, type, out);
    return MPI_SUCCESS;
}
