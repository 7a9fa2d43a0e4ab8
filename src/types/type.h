// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What a route needs to know of a datatype, found out once: predefined types are in a table, derived
// ones carry it as an attribute. User role, any thread.
#ifndef CSP_TYPES_TYPE_H
#define CSP_TYPES_TYPE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include "base/hash.h"
#include "base/log.h"
#include "dtype/layout.h"
#include "csp_mpi_have.h"

#if CSP_HAVE_MPI_Put_c
typedef MPI_Count csp_count_t;
#else
typedef long long csp_count_t;
#endif

struct csp_type {
    MPI_Aint size;                 // bytes of data
    MPI_Aint extent;               // from one element to the next
    MPI_Aint true_lb, true_extent; // where the data lies
    int named;                     // predefined
    int contig;     // elements follow each other without gaps, in the order of memory, from 0
    int comparable; // MPI_Compare_and_swap takes it
    // The predefined type that it consists of, by its name if it has one; MPI_DATATYPE_NULL if there are several.
    MPI_Datatype basic;
    int hollow; // it has parts without data, perhaps of another type: MPI libraries may not see that it is of one
    const struct csp_layout *layout; // where its bytes lie
    struct csp_type_record *record;  // NULL: it lasts for ever, and has a name
};

/**
 * `layout` is valid as long as the datatype, which the caller's caller holds; for longer,
 * csp_type_hold. @return MPI error code (MPI_ERR_TYPE for MPI_DATATYPE_NULL, for a type that is not
 * committed and for one beyond 2^63 bytes).
 */
int csp_type_get(MPI_Datatype type, struct csp_type *out);

// More than there are predefined types.
enum { CSP_TYPE_BITS = 8, CSP_TYPE_SLOTS = 1 << CSP_TYPE_BITS };

// A predefined type that was asked for.
struct csp_type_slot {
    _Atomic uintptr_t key; // release after `type`; a slot is written once
    struct csp_type type;
    _Atomic uint32_t asked, allowed; // operations, by their index; `asked` is released last
};

extern CSP_INTERNAL struct csp_type_slot csp_type_slots[CSP_TYPE_SLOTS];

static inline unsigned csp_type_hash(MPI_Datatype type, int bits)
{
    return csp_hash((uintptr_t)type, bits);
}

/** A predefined type that is known and where it is looked for first; NULL: another. */
static inline const struct csp_type *csp_type_usual(MPI_Datatype type)
{
    struct csp_type_slot *s = &csp_type_slots[csp_type_hash(type, CSP_TYPE_BITS)];
    uintptr_t key = atomic_load_explicit(&s->key, memory_order_acquire);
    return CSP_LIKELY(key == (uintptr_t)type && key != 0) ? &s->type : NULL;
}

/** csp_type_look for the others. */
int csp_type_look_at_other(MPI_Datatype type, struct csp_type *store, const struct csp_type **out);

/**
 * The same as csp_type_get for operations, where each copy counts: `*out` is valid as long as the datatype and
 * `store`, which is used for types that are not predefined.
 */
static inline int csp_type_look(MPI_Datatype type, struct csp_type *store,
                                const struct csp_type **out)
{
    *out = csp_type_usual(type);
    return CSP_LIKELY(*out) ? MPI_SUCCESS : csp_type_look_at_other(type, store, out);
}

/** Keeps the layout, also when the datatype is freed, until csp_type_drop. */
void csp_type_hold(const struct csp_type *t);
void csp_type_drop(const struct csp_type *t);

/** Whether a predefined type is a pair (MPI_2INT, MPI_DOUBLE_INT): two elements, not one. */
int csp_type_is_pair(MPI_Datatype named);

/** 1 for one predefined type, or two of one size: two names of one type cannot be told from different ones. */
int csp_type_alike(MPI_Datatype a, MPI_Datatype b);

/** 1 if `op` is predefined and the MPI library allows it for this predefined type in a reduction. */
int csp_type_allows(MPI_Datatype named, MPI_Op op);

enum { CSP_TYPE_OPS = 12 };
extern CSP_INTERNAL const MPI_Op csp_type_ops[CSP_TYPE_OPS]; // that compute

/** The number of an operation among them; CSP_TYPE_OPS: none of them. */
static inline int csp_type_op(MPI_Op op)
{
    int i = 0;
    while (i < CSP_TYPE_OPS && csp_type_ops[i] != op)
        i++;
    return i;
}

/** csp_type_allows for what csp_type_usual returned. @return 0 also if it is not known yet. */
static inline int csp_type_usual_allows(const struct csp_type *t, MPI_Op op)
{
    const struct csp_type_slot *s =
        (const struct csp_type_slot *)((const char *)t - offsetof(struct csp_type_slot, type));
    return (atomic_load_explicit(&s->allowed, memory_order_relaxed) >> csp_type_op(op) & 1) != 0;
}

/** Byte range [*lo, *hi) that `count` elements touch, relative to the first one's address. */
static inline void csp_type_range(const struct csp_type *t, csp_count_t count, MPI_Aint *lo,
                                  MPI_Aint *hi)
{
    MPI_Aint last = count > 0 ? (MPI_Aint)(count - 1) * t->extent : 0;
    *lo = t->true_lb + (last < 0 ? last : 0);
    *hi = t->true_lb + (last > 0 ? last : 0) + t->true_extent;
}

#endif
