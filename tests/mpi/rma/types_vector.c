// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Vector, hvector and nested vector datatypes at origin and target, all pairs.
#include "types.h"

static MPI_Datatype vector(int blocks, int length, int stride)
{
    MPI_Datatype type;
    MPI_Type_vector(blocks, length, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype nested(void)
{
    MPI_Datatype inner, outer;
    MPI_Type_vector(4, 2, 5, MPI_INT, &inner);
    MPI_Type_create_hvector(3, 1, 64 * sizeof(int), inner, &outer);
    MPI_Type_commit(&outer);
    MPI_Type_free(&inner);
    return outer;
}

int main(void)
{
    enum { LAYOUTS = 5 };
    static struct layout all[LAYOUTS];
    csp_test_init();
    MPI_Datatype types[] = {vector(24, 1, 3), vector(8, 3, 7), nested(), vector(2, 6, 11)};
    layout_init(&all[0], types[0], 1, "vector(24,1,3)");
    layout_init(&all[1], types[1], 1, "vector(8,3,7)");
    layout_init(&all[2], types[2], 1, "nested");
    layout_init(&all[3], types[3], 2, "2 x vector(2,6,11)");
    layout_init(&all[4], MPI_INT, 24, "contiguous");
    layouts_run(all, LAYOUTS);
    for (int i = 0; i < 4; i++)
        MPI_Type_free(&types[i]);
    return csp_test_done();
}
