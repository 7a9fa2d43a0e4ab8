// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Cartesian topologies on MPI_COMM_WORLD: coordinates, shifts, sub-grids, mapping, neighbour
// collectives.
#include "csp_test.h"

static void grid(int reorder)
{
    MPI_Comm cart, row;
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], got_dims[2], got_periods[2], rank, size;
    MPI_Dims_create(csp_test_size, 2, dims);
    CHECK_INT(dims[0] * dims[1], csp_test_size);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Comm_size(cart, &size);
    CHECK_INT(size, csp_test_size);
    CHECK(reorder || rank == csp_test_rank);
    MPI_Cart_get(cart, 2, got_dims, got_periods, coords);
    CHECK(got_dims[0] == dims[0] && got_dims[1] == dims[1] && got_periods[0] && !got_periods[1]);
    CHECK_INT(rank, coords[0] * dims[1] + coords[1]);
    int from, to, up, down, got[4] = {-1, -1, -1, -1};
    MPI_Cart_shift(cart, 0, 1, &from, &to);
    CHECK_INT(to, (coords[0] + 1) % dims[0] * dims[1] + coords[1]);
    MPI_Cart_shift(cart, 1, 1, &up, &down);
    CHECK_INT(down, coords[1] + 1 < dims[1] ? rank + 1 : MPI_PROC_NULL);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, cart);
    CHECK(got[0] == from && got[1] == to);
    CHECK(up == MPI_PROC_NULL || got[2] == up);
    CHECK(down == MPI_PROC_NULL || got[3] == down);
    MPI_Cart_sub(cart, (int[]){0, 1}, &row);
    MPI_Comm_size(row, &size);
    CHECK_INT(size, dims[1]);
    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);
}

static void smaller(void)
{
    MPI_Comm cart;
    int dims[1] = {csp_test_size - 1}, periods[1] = {0}, mapped = -77, status;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &cart);
    CHECK((cart == MPI_COMM_NULL) == (csp_test_rank == csp_test_size - 1));
    if (cart != MPI_COMM_NULL)
        MPI_Comm_free(&cart);
    MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &mapped);
    CHECK(mapped < csp_test_size); // negative: not in the grid
    MPI_Topo_test(MPI_COMM_WORLD, &status);
    CHECK_INT(status, MPI_UNDEFINED);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    grid(0);
    grid(1);
    smaller();
    return csp_test_done();
}
