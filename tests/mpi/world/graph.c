// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Graph topologies on MPI_COMM_WORLD: graph, dist_graph and dist_graph_adjacent as rings, with
// neighbour collectives; a graph larger than the world is an error, so nobody else is in it.
#include "csp_test.h"

static void ring_graph(void)
{
    MPI_Comm comm;
    int n = csp_test_size, *index = malloc(sizeof(int) * n), *edges = malloc(sizeof(int) * 2 * n);
    int count = -1, neighbours[2] = {-1, -1}, nodes, nedges;
    for (int i = 0; i < n; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % n;
        edges[2 * i + 1] = (i + n - 1) % n;
    }
    MPI_Graph_create(MPI_COMM_WORLD, n, index, edges, 0, &comm);
    MPI_Graph_neighbors_count(comm, csp_test_rank, &count);
    CHECK_INT(count, 2);
    MPI_Graph_neighbors(comm, csp_test_rank, 2, neighbours);
    CHECK_INT(neighbours[0], (csp_test_rank + 1) % n);
    MPI_Graphdims_get(comm, &nodes, &nedges);
    CHECK(nodes == n && nedges == 2 * n);
    MPI_Graph_map(MPI_COMM_WORLD, n, index, edges, &count);
    CHECK(count == MPI_UNDEFINED || (count >= 0 && count < n));
    MPI_Comm_free(&comm);
    free(index);
    free(edges);
}

static void use_ring(MPI_Comm *comm)
{
    int n = csp_test_size, from = (csp_test_rank + n - 1) % n, got = -1, in, out, weighted, size;
    MPI_Dist_graph_neighbors_count(*comm, &in, &out, &weighted);
    CHECK(in == 1 && out == 1);
    MPI_Comm_size(*comm, &size);
    CHECK_INT(size, n);
    MPI_Neighbor_alltoall(&csp_test_rank, 1, MPI_INT, &got, 1, MPI_INT, *comm);
    CHECK_INT(got, from);
    MPI_Request req;
    got = -1;
    MPI_Ineighbor_allgather(&csp_test_rank, 1, MPI_INT, &got, 1, MPI_INT, *comm, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    CHECK_INT(got, from);
    MPI_Comm_free(comm);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Comm comm;
    int n = csp_test_size, to = (csp_test_rank + 1) % n, from = (csp_test_rank + n - 1) % n,
        one = 1;
    ring_graph();
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    use_ring(&comm);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &csp_test_rank, &one, &to, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, 0, &comm);
    use_ring(&comm);
    int dims[1] = {n + 1}, periods[1] = {0};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return csp_test_done();
}
