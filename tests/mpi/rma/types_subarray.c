// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Three-dimensional subarrays in C and Fortran order and a darray, at origin and target, all pairs.
#include "types.h"

static MPI_Datatype subarray(int order, int z, int y, int x)
{
    const int sizes[] = {10, 12, 14}, subsizes[] = {3, 4, 5}, starts[] = {z, y, x};
    MPI_Datatype type;
    MPI_Type_create_subarray(3, sizes, subsizes, starts, order, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype darray(void)
{
    const int sizes[] = {12, 10}, distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    const int dargs[] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 1};
    MPI_Datatype type;
    MPI_Type_create_darray(2, 1, 2, sizes, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(void)
{
    enum { LAYOUTS = 5 };
    static struct layout all[LAYOUTS];
    csp_test_init();
    MPI_Datatype types[] = {subarray(MPI_ORDER_C, 1, 2, 3), subarray(MPI_ORDER_C, 7, 8, 9),
                            subarray(MPI_ORDER_FORTRAN, 0, 5, 2), darray()};
    const char *const names[] = {"C order", "C order, corner", "Fortran order", "darray"};
    for (int i = 0; i < 4; i++)
        layout_init(&all[i], types[i], 1, names[i]);
    layout_init(&all[4], MPI_INT, 60, "contiguous");
    layouts_run(all, LAYOUTS);
    for (int i = 0; i < 4; i++)
        MPI_Type_free(&types[i]);
    return csp_test_done();
}
