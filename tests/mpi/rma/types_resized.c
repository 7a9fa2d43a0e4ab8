// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Resized, contiguous-of-resized and struct datatypes of ints, with lower bound above and below
// zero and true extents larger than extents, at origin and target, all pairs.
#include "types.h"

static MPI_Datatype commit(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

// A column of an 8-int-wide matrix: items overlap like the teeth of combs.
static MPI_Datatype column(void)
{
    MPI_Datatype vector, type;
    MPI_Type_vector(4, 1, 8, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(int), &type);
    MPI_Type_free(&vector);
    return commit(type);
}

static MPI_Datatype pair(MPI_Aint lb)
{
    MPI_Datatype two, type;
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, lb, 5 * sizeof(int), &type);
    MPI_Type_free(&two);
    return commit(type);
}

static MPI_Datatype structure(void)
{
    const int lengths[] = {1, 3};
    const MPI_Aint displs[] = {20, 60};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT};
    MPI_Datatype type;
    MPI_Type_create_struct(2, lengths, displs, types, &type);
    return commit(type);
}

int main(void)
{
    enum { LAYOUTS = 5 };
    static struct layout all[LAYOUTS];
    csp_test_init();
    MPI_Datatype types[] = {column(), pair(0), pair(-2 * (MPI_Aint)sizeof(int)), structure()};
    layout_init(&all[0], types[0], 6, "6 columns");
    layout_init(&all[1], types[1], 12, "12 pairs");
    layout_init(&all[2], types[2], 12, "12 pairs, lb < 0");
    layout_init(&all[3], types[3], 6, "6 structs");
    layout_init(&all[4], MPI_INT, 24, "contiguous");
    layouts_run(all, LAYOUTS);
    for (int i = 0; i < 4; i++)
        MPI_Type_free(&types[i]);
    return csp_test_done();
}
