// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "types/contents.h"

#include <stdlib.h>
#include <string.h>
#include "runtime/rt.h"

_Static_assert(sizeof(MPI_Aint) == sizeof(int64_t) && sizeof(MPI_Count) == sizeof(int64_t),
               "addresses and large counts are 64 bits");

int csp_combiner_is_predefined(int combiner)
{
#if CSP_HAVE_MPI_Type_get_value_index
    if (combiner == MPI_COMBINER_VALUE_INDEX)
        return 1;
#endif
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER ||
           combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX;
}

struct sizes {
    MPI_Count ints, addrs, counts, types;
};

static int envelope(MPI_Datatype type, struct sizes *n, int *combiner)
{
#if CSP_HAVE_MPI_Type_get_contents_c
    return csp_mpi.Type_get_envelope_c(type, &n->ints, &n->addrs, &n->counts, &n->types, combiner);
#else
    int ints, addrs, types;
    int rc = csp_mpi.Type_get_envelope(type, &ints, &addrs, &types, combiner);
    *n = (struct sizes){.ints = ints, .addrs = addrs, .types = types};
    return rc;
#endif
}

int csp_combiner_get(MPI_Datatype type, int *combiner)
{
    struct sizes n;
    return envelope(type, &n, combiner);
}

// Integers come as int, at the end of their room, and are made wider from the front.
static int read_all(MPI_Datatype type, const struct sizes *n, struct csp_contents *c)
{
    int *ints = (int *)(c->numbers + n->ints) - n->ints;
    MPI_Aint *addrs = (MPI_Aint *)(c->numbers + n->ints);
#if CSP_HAVE_MPI_Type_get_contents_c
    MPI_Count *counts = (MPI_Count *)(c->numbers + n->ints + n->addrs);
    int rc = csp_mpi.Type_get_contents_c(type, n->ints, n->addrs, n->counts, n->types, ints, addrs,
                                         counts, c->types);
#else
    int rc = csp_mpi.Type_get_contents(type, (int)n->ints, (int)n->addrs, (int)n->types, ints,
                                       addrs, c->types);
#endif
    if (rc != MPI_SUCCESS)
        return rc;
    for (MPI_Count i = 0; i < n->ints; i++) {
        int v;
        memcpy(&v, ints + i, sizeof(v));
        c->numbers[i] = v;
    }
    c->type_count = n->types;
    c->next_int = c->numbers;
    c->next_addr = c->numbers + n->ints;
    c->next_count = n->counts ? c->next_addr + n->addrs : NULL;
    return MPI_SUCCESS;
}

int csp_contents_get(MPI_Datatype type, struct csp_contents *c)
{
    struct sizes n;
    *c = (struct csp_contents){0};
    int rc = envelope(type, &n, &c->combiner);
    if (rc != MPI_SUCCESS || csp_combiner_is_predefined(c->combiner))
        return rc;
    c->numbers = malloc((size_t)(n.ints + n.addrs + n.counts + 1) * sizeof(*c->numbers));
    c->types = calloc((size_t)n.types + 1, sizeof(MPI_Datatype));
    rc = c->numbers && c->types ? read_all(type, &n, c) : MPI_ERR_NO_MEM;
    if (rc != MPI_SUCCESS)
        csp_contents_free(c);
    return rc;
}

void csp_contents_free(struct csp_contents *c)
{
    int combiner;
    for (int64_t i = 0; c->types && i < c->type_count; i++)
        if (csp_combiner_get(c->types[i], &combiner) == MPI_SUCCESS &&
            !csp_combiner_is_predefined(combiner))
            csp_mpi.Type_free(&c->types[i]);
    free(c->types);
    free(c->numbers);
    *c = (struct csp_contents){0};
}

const int64_t *csp_contents_ints(struct csp_contents *c, int64_t n)
{
    const int64_t *all = c->next_int;
    c->next_int += n;
    return all;
}

static const int64_t *large(struct csp_contents *c, int64_t n)
{
    const int64_t *all = c->next_count;
    c->next_count += n;
    return all;
}

const int64_t *csp_contents_counts(struct csp_contents *c, int64_t n)
{
    return c->next_count ? large(c, n) : csp_contents_ints(c, n);
}

const int64_t *csp_contents_addrs(struct csp_contents *c, int64_t n)
{
    const int64_t *all = c->next_addr;
    if (c->next_count)
        return large(c, n);
    c->next_addr += n;
    return all;
}
