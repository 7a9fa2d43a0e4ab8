// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "types/type.h"

#include <pthread.h>
#include <stdlib.h>
#include "types/contents.h"
#include "types/compile.h"
#include "runtime/rt.h"

enum { RECENT_BITS = 2 };

// What a derived type's attribute points to. One reference is the attribute's.
struct csp_type_record {
    _Atomic int refs;
    struct csp_layout *layout;
    struct csp_type type;
};

struct csp_type_slot csp_type_slots[CSP_TYPE_SLOTS];
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int keyval = MPI_KEYVAL_INVALID;

// Derived types of which records went, so far. A handle can be given again only behind that.
static _Atomic uint64_t freed;

// Derived types that this thread asked for lately. One counts as long as none has been freed since: other threads free, too.
static _Thread_local struct recent {
    MPI_Datatype type;
    uint64_t freed;
    const struct csp_type *known; // in the record; NULL: none yet
} recent[1 << RECENT_BITS];

// The type's slot, or the free one where it would be; NULL if the table is full.
static struct csp_type_slot *slot_of(MPI_Datatype type)
{
    unsigned h = csp_type_hash(type, CSP_TYPE_BITS);
    for (unsigned i = 0; i < CSP_TYPE_SLOTS; i++) {
        struct csp_type_slot *s = &csp_type_slots[(h + i) % CSP_TYPE_SLOTS];
        uintptr_t key = atomic_load_explicit(&s->key, memory_order_acquire);
        if (key == (uintptr_t)type || key == 0)
            return s;
    }
    return NULL;
}

static int slot_has(struct csp_type_slot *s, MPI_Datatype type)
{
    return s && atomic_load_explicit(&s->key, memory_order_acquire) == (uintptr_t)type;
}

void csp_type_hold(const struct csp_type *t)
{
    if (t->record)
        atomic_fetch_add_explicit(&t->record->refs, 1, memory_order_relaxed);
}

void csp_type_drop(const struct csp_type *t)
{
    struct csp_type_record *r = t->record;
    if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
        return;
    csp_layout_free(r->layout);
    free(r);
}

static int on_type_free(MPI_Datatype type, int key, void *value, void *extra)
{
    const struct csp_type_record *r = value;
    (void)type, (void)key, (void)extra;
    atomic_fetch_add_explicit(&freed, 1, memory_order_acq_rel);
    csp_type_drop(&r->type);
    return MPI_SUCCESS;
}

static int ask_sizes(MPI_Datatype type, struct csp_type *t)
{
    MPI_Aint lb;
#if CSP_HAVE_MPI_Type_size_x
    MPI_Count size;
    int rc = csp_mpi.Type_size_x(type, &size);
#else
    int size, rc = csp_mpi.Type_size(type, &size);
#endif
    t->size = (MPI_Aint)size;
    return rc == MPI_SUCCESS ? csp_mpi.Type_get_extent(type, &lb, &t->extent) : rc;
}

// Integers of any language, logical values and bytes (MPI-4.1 12.3.4, 6.9.2), and MPI_CHAR, which libraries take as well. Not
// asked of the library: Intel MPI aborts on a no.
static int comparable(MPI_Datatype type)
{
    const MPI_Datatype all[] = {
#ifdef MPI_INTEGER16 // not in Open MPI 4.1
        MPI_INTEGER16,
#endif
#ifdef MPI_LOGICAL1 // not in MPICH 4.0
        MPI_LOGICAL1,    MPI_LOGICAL2,      MPI_LOGICAL4,  MPI_LOGICAL8,
#endif
#ifdef MPI_LOGICAL16 // not in Open MPI
        MPI_LOGICAL16,
#endif
        MPI_INT,         MPI_LONG,          MPI_SHORT,     MPI_UNSIGNED_SHORT,
        MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,    MPI_INT16_T,
        MPI_INT32_T,     MPI_INT64_T,       MPI_UINT8_T,   MPI_UINT16_T,
        MPI_UINT32_T,    MPI_UINT64_T,      MPI_INTEGER,   MPI_INTEGER1,
        MPI_INTEGER2,    MPI_INTEGER4,      MPI_INTEGER8,  MPI_LOGICAL,
        MPI_C_BOOL,      MPI_CXX_BOOL,      MPI_AINT,      MPI_OFFSET,
        MPI_COUNT,       MPI_BYTE,          MPI_CHAR,
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (type == all[i])
            return 1;
    return 0;
}

// A type that is not committed is an error that the MPI library finds, packing nothing.
static int describe(MPI_Datatype type, int named, struct csp_type *t, struct csp_layout **layout)
{
    char nothing[1] = {0};
    int pos = 0;
    *t = (struct csp_type){.named = named, .basic = type};
    *layout = NULL;
    int rc = csp_mpi.Pack(nothing, 0, type, nothing, (int)sizeof(nothing), &pos, csp_rt.self);
    if (rc == MPI_SUCCESS)
        rc = ask_sizes(type, t);
    if (rc == MPI_SUCCESS)
        rc = named ? csp_layout_learn(type, layout)
                   : csp_layout_compile(type, layout, &t->basic, &t->hollow);
    if (rc != MPI_SUCCESS) {
        csp_layout_free(*layout);
        return rc;
    }
    CSP_ASSERT((*layout)->size_bytes == t->size && (*layout)->extent == t->extent);
    t->layout = *layout;
    t->true_lb = t->layout->true_lb; // MPICH counts parts without data
    t->true_extent = t->layout->true_ub - t->layout->true_lb;
    t->contig = t->layout->contig && t->layout->first_off == 0;
    t->comparable = named && comparable(type);
    return MPI_SUCCESS;
}

// 0 if there is no room.
static int remember(MPI_Datatype type, struct csp_type *t, struct csp_layout *layout)
{
    pthread_mutex_lock(&writers);
    struct csp_type_slot *s = slot_of(type);
    if (slot_has(s, type)) {
        csp_layout_free(layout);
        *t = s->type;
    } else if (s) {
        s->type = *t;
        atomic_store_explicit(&s->key, (uintptr_t)type, memory_order_release);
    }
    pthread_mutex_unlock(&writers);
    return s != NULL;
}

// Two threads may have described the type: the first one's is taken. `writers` is held.
static int attach(MPI_Datatype type, struct csp_type_record *r, struct csp_type_record **taken)
{
    int key = atomic_load_explicit(&keyval, memory_order_relaxed), flag = 0, rc = MPI_SUCCESS;
    if (key == MPI_KEYVAL_INVALID) {
        rc = csp_mpi.Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_type_free, &key, NULL);
        atomic_store_explicit(&keyval, key, memory_order_release);
    }
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Type_get_attr(type, key, taken, &flag);
    if (rc == MPI_SUCCESS && !flag) {
        *taken = r;
        rc = csp_mpi.Type_set_attr(type, key, r);
    }
    return rc;
}

static int record(MPI_Datatype type, struct csp_type *t, struct csp_layout *layout)
{
    struct csp_type_record *r = malloc(sizeof(*r)), *taken = NULL;
    if (!r) {
        csp_layout_free(layout);
        return MPI_ERR_NO_MEM;
    }
    atomic_init(&r->refs, 1);
    r->layout = layout;
    t->record = r;
    r->type = *t;
    pthread_mutex_lock(&writers);
    int rc = attach(type, r, &taken);
    pthread_mutex_unlock(&writers);
    if (rc == MPI_SUCCESS)
        *t = taken->type;
    if (rc != MPI_SUCCESS || taken != r)
        csp_type_drop(&r->type);
    return rc;
}

// The named type that a Fortran type by precision is, whose handle other processes know; itself if there is none.
static MPI_Datatype named_for(MPI_Datatype type, int combiner, MPI_Aint size)
{
    const struct {
        int combiner, size;
        MPI_Datatype type;
    } all[] = {
        {MPI_COMBINER_F90_INTEGER, 1, MPI_INT8_T},
        {MPI_COMBINER_F90_INTEGER, 2, MPI_INT16_T},
        {MPI_COMBINER_F90_INTEGER, 4, MPI_INT32_T},
        {MPI_COMBINER_F90_INTEGER, 8, MPI_INT64_T},
        {MPI_COMBINER_F90_REAL, 4, MPI_FLOAT},
        {MPI_COMBINER_F90_REAL, 8, MPI_DOUBLE},
        {MPI_COMBINER_F90_COMPLEX, 8, MPI_C_FLOAT_COMPLEX},
        {MPI_COMBINER_F90_COMPLEX, 16, MPI_C_DOUBLE_COMPLEX},
#ifdef OPEN_MPI // it has none wider; MPICH may have several of 16 bytes
        {MPI_COMBINER_F90_REAL, sizeof(long double), MPI_LONG_DOUBLE},
        {MPI_COMBINER_F90_COMPLEX, 2 * sizeof(long double), MPI_C_LONG_DOUBLE_COMPLEX},
#endif
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].combiner == combiner && all[i].size == size)
            return all[i].type;
    return type;
}

static int get_new(MPI_Datatype type, struct csp_type *out)
{
    int combiner;
    struct csp_layout *layout;
    int rc = csp_combiner_get(type, &combiner);
    if (rc == MPI_SUCCESS)
        rc = describe(type, csp_combiner_is_predefined(combiner), out, &layout);
    if (rc != MPI_SUCCESS)
        return rc;
    if (combiner == MPI_COMBINER_NAMED && remember(type, out, layout))
        return MPI_SUCCESS;
    if (out->named)
        out->basic = named_for(type, combiner, out->size);
#ifdef OPEN_MPI // MPICH's MPI_Compare_and_swap takes named types alone
    out->comparable |= combiner == MPI_COMBINER_F90_INTEGER;
#endif
    return record(type, out, layout);
}

// What the type's attribute points to. Whether the handle is one at all is asked where the library returns errors:
// those of functions without a communicator go to the program's handlers, which may end the job.
static int get_attached(MPI_Datatype type, const struct csp_type **out)
{
    struct csp_type_record *r;
    int flag = 0, bytes, key = atomic_load_explicit(&keyval, memory_order_acquire);
    int rc =
        type == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : csp_mpi.Pack_size(0, type, csp_rt.self, &bytes);
    if (rc == MPI_SUCCESS && key != MPI_KEYVAL_INVALID &&
        csp_mpi.Type_get_attr(type, key, &r, &flag) == MPI_SUCCESS && flag)
        *out = &r->type;
    return rc;
}

// Not in the table of predefined types, or not yet.
static int get_other(MPI_Datatype type, struct csp_type *store, const struct csp_type **out)
{
    struct recent *mine = &recent[csp_type_hash(type, RECENT_BITS)];
    uint64_t now = atomic_load_explicit(&freed, memory_order_acquire);
    if (mine->type == type && mine->known && mine->freed == now) {
        *out = mine->known;
        return MPI_SUCCESS;
    }
    *out = NULL;
    int rc = get_attached(type, out);
    if (rc == MPI_SUCCESS && *out) {
        *mine = (struct recent){type, now, *out};
        return MPI_SUCCESS;
    }
    *out = store;
    return rc == MPI_SUCCESS ? get_new(type, store) : rc;
}

int csp_type_look_at_other(MPI_Datatype type, struct csp_type *store, const struct csp_type **out)
{
    struct csp_type_slot *s = slot_of(type);
    if (CSP_LIKELY(slot_has(s, type) && (uintptr_t)type != 0)) {
        *out = &s->type;
        return MPI_SUCCESS;
    }
    return get_other(type, store, out);
}

int csp_type_get(MPI_Datatype type, struct csp_type *out)
{
    const struct csp_type *found;
    int rc = csp_type_look(type, out, &found);
    if (rc == MPI_SUCCESS && found != out)
        *out = *found;
    return rc;
}

int csp_type_alike(MPI_Datatype a, MPI_Datatype b)
{
    struct csp_type store[2];
    const struct csp_type *x, *y;
    if (a == MPI_DATATYPE_NULL || b == MPI_DATATYPE_NULL)
        return 0;
    return a == b || (csp_type_look(a, &store[0], &x) == MPI_SUCCESS &&
                      csp_type_look(b, &store[1], &y) == MPI_SUCCESS && x->size == y->size);
}

int csp_type_is_pair(MPI_Datatype named)
{
    const MPI_Datatype all[] = {
#ifdef MPI_2REAL // macros in every library that has them
        MPI_2REAL,     MPI_2DOUBLE_PRECISION, MPI_2INTEGER,
#endif
        MPI_FLOAT_INT, MPI_DOUBLE_INT,        MPI_LONG_INT,
        MPI_2INT,      MPI_SHORT_INT,         MPI_LONG_DOUBLE_INT,
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (named == all[i])
            return 1;
#if CSP_HAVE_MPI_Type_get_value_index
    int combiner;
    return csp_combiner_get(named, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_VALUE_INDEX;
#else
    return 0;
#endif
}

const MPI_Op csp_type_ops[CSP_TYPE_OPS] = {MPI_SUM,  MPI_MAX,  MPI_MIN,    MPI_PROD,
                                           MPI_LAND, MPI_BAND, MPI_LOR,    MPI_LXOR,
                                           MPI_BOR,  MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};

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
    struct csp_type_slot *s = slot_of(named);
    int i = csp_type_op(op);
    if (i == CSP_TYPE_OPS)
        return 0;
    uint32_t bit = UINT32_C(1) << i;
    if (!slot_has(s, named))
        return library_allows(named, op);
    if (!(atomic_load_explicit(&s->asked, memory_order_acquire) & bit)) {
        if (library_allows(named, op))
            atomic_fetch_or_explicit(&s->allowed, bit, memory_order_relaxed);
        atomic_fetch_or_explicit(&s->asked, bit, memory_order_release);
    }
    return (atomic_load_explicit(&s->allowed, memory_order_relaxed) & bit) != 0;
}
