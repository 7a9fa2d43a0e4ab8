// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The same datatypes made by MPI's constructors, and in words.
#include "rnd.h"

static MPI_Datatype make(const struct rnd_shape *s, MPI_Datatype leaf);

static void release(MPI_Datatype *type, MPI_Datatype leaf)
{
    if (*type != leaf)
        MPI_Type_free(type);
}

static MPI_Datatype make_struct(const struct rnd_shape *s, MPI_Datatype leaf)
{
    MPI_Datatype made, types[4];
    for (int i = 0; i < s->n; i++)
        types[i] = make(s->child[i], leaf);
    MPI_Type_create_struct(s->n, s->len, s->at, types, &made);
    for (int i = 0; i < s->n; i++)
        release(&types[i], leaf);
    return made;
}

/** Those that have arrays of displacements. */
static MPI_Datatype make_indexed(const struct rnd_shape *s, MPI_Datatype child)
{
    MPI_Datatype made;
    int *at = malloc(sizeof(int) * (size_t)s->n);
    if (!at)
        abort();
    MPI_Aint extent = s->child[0]->extent ? s->child[0]->extent : 1;
    for (int i = 0; i < s->n; i++)
        at[i] = (int)(s->at[i] / extent);
    if (s->kind == RND_INDEXED)
        MPI_Type_indexed(s->n, s->len, at, child, &made);
    else if (s->kind == RND_INDEXED_BLOCK)
        MPI_Type_create_indexed_block(s->n, s->len[0], at, child, &made);
    else if (s->kind == RND_HINDEXED)
        MPI_Type_create_hindexed(s->n, s->len, s->at, child, &made);
    else
        MPI_Type_create_hindexed_block(s->n, s->len[0], s->at, child, &made);
    free(at);
    return made;
}

static MPI_Datatype make_regular(const struct rnd_shape *s, MPI_Datatype child)
{
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Aint step = s->n > 1 ? s->at[1] - s->at[0] : 0;
    if (s->kind == RND_CONTIGUOUS)
        MPI_Type_contiguous(s->len[0], child, &made);
    else if (s->kind == RND_VECTOR)
        MPI_Type_vector(s->n, s->len[0], (int)(step / s->child[0]->extent), child, &made);
    else if (s->kind == RND_HVECTOR)
        MPI_Type_create_hvector(s->n, s->len[0], step, child, &made);
    else if (s->kind == RND_SUBARRAY)
        MPI_Type_create_subarray(2, s->sizes, s->subsizes, s->starts, s->order, child, &made);
    else if (s->kind == RND_DARRAY)
        MPI_Type_create_darray(s->processes, s->coordinate, 1, s->sizes, &s->dist, &s->dist_arg,
                               &s->processes, MPI_ORDER_C, child, &made);
    else if (s->kind == RND_RESIZED)
        MPI_Type_create_resized(child, s->lb, s->extent, &made);
    else
        MPI_Type_dup(child, &made);
    return made;
}

static MPI_Datatype make(const struct rnd_shape *s, MPI_Datatype leaf)
{
    if (s->kind == RND_LEAF)
        return leaf;
    if (s->kind == RND_STRUCT)
        return make_struct(s, leaf);
    MPI_Datatype child = make(s->child[0], leaf), made;
    bool listed = s->kind >= RND_INDEXED && s->kind <= RND_HINDEXED_BLOCK;
    made = listed ? make_indexed(s, child) : make_regular(s, child);
    release(&child, leaf);
    return made;
}

/** The committed datatype of a side, and how many of it. rnd_side_free frees it. */
MPI_Datatype rnd_side_type(const struct rnd_side *side, MPI_Datatype leaf, int *count)
{
    MPI_Datatype type = make(side->shape, leaf), moved;
    *count = side->count;
    if (side->shifted) {
        MPI_Type_create_hindexed(1, count, &side->shift, type, &moved);
        release(&type, leaf);
        type = moved;
        *count = 1;
    }
    if (type != leaf)
        MPI_Type_commit(&type);
    return type;
}

void rnd_side_free(MPI_Datatype *type, MPI_Datatype leaf)
{
    release(type, leaf);
}

static void print_shape(const struct rnd_shape *s, FILE *out)
{
    static const char *const names[] = {"element", "contiguous", "vector",        "hvector",
                                        "indexed", "hindexed",   "indexed_block", "hindexed_block",
                                        "struct",  "subarray",   "darray",        "resized",
                                        "dup"};
    if (s->kind == RND_LEAF)
        return;
    fprintf(out, "%s(", names[s->kind]);
    for (int i = 0; i < s->n && i < 6; i++)
        fprintf(out, "%s%d at %ld", i ? ", " : "", s->len[i], (long)s->at[i]);
    fputs(s->n > 6 ? ", ..." : "", out);
    if (s->kind == RND_RESIZED)
        fprintf(out, "; lb %ld extent %ld", (long)s->lb, (long)s->extent);
    for (int i = 0; i < (s->kind == RND_STRUCT ? s->n : 1); i++)
        if (s->child[i] && s->child[i]->kind != RND_LEAF) {
            fputs(i ? ", " : " of ", out);
            print_shape(s->child[i], out);
        }
    fputc(')', out);
}

/** As in "2 x vector(2 at 0, 2 at 24) moved by 8". */
void rnd_side_print(const struct rnd_side *side, char *text, size_t bytes)
{
    FILE *out = fmemopen(text, bytes, "w");
    if (!out)
        abort();
    fprintf(out, "%d x ", side->count);
    if (side->shape->kind == RND_LEAF)
        fputs("element", out);
    print_shape(side->shape, out);
    if (side->shifted)
        fprintf(out, " moved by %ld", (long)side->shift);
    fclose(out);
}
