// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Indexed, indexed_block and hindexed datatypes at origin and target, all pairs; with empty blocks
// and displacements that go backwards.
#include "types.h"

static MPI_Datatype indexed(void)
{
    const int lengths[] = {3, 0, 5, 1, 3}, displs[] = {40, 7, 10, 0, 90};
    MPI_Datatype type;
    MPI_Type_indexed(5, lengths, displs, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype indexed_block(void)
{
    const int displs[] = {100, 0, 33, 66};
    MPI_Datatype type;
    MPI_Type_create_indexed_block(4, 3, displs, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype hindexed(void)
{
    const int lengths[] = {1, 2, 4, 5};
    const MPI_Aint displs[] = {4, 800, 400, 40};
    MPI_Datatype type;
    MPI_Type_create_hindexed(4, lengths, displs, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(void)
{
    enum { LAYOUTS = 4 };
    static struct layout all[LAYOUTS];
    csp_test_init();
    MPI_Datatype types[] = {indexed(), indexed_block(), hindexed()};
    layout_init(&all[0], types[0], 1, "indexed");
    layout_init(&all[1], types[1], 1, "indexed_block");
    layout_init(&all[2], types[2], 1, "hindexed");
    layout_init(&all[3], MPI_INT, 12, "contiguous");
    layouts_run(all, LAYOUTS);
    for (int i = 0; i < 3; i++)
        MPI_Type_free(&types[i]);
    return csp_test_done();
}
