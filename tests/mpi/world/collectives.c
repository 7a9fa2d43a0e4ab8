// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Every blocking collective on MPI_COMM_WORLD, with in-place variants, any root.
#include "csp_test.h"

static int n, me;

static int triangle(int k)
{
    return k * (k - 1) / 2;
}

static void rooted(int root)
{
    int value = me == root ? 77 + root : -1, sum = -1, mine = me * 3, *all = calloc((size_t)n, 4);
    MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK_INT(value, 77 + root);
    MPI_Reduce(&me, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    CHECK(me != root || sum == triangle(n));
    MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < n && me == root; i++)
        CHECK_INT(all[i], 3 * i);
    value = -1;
    MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK_INT(value, 3 * me);
    free(all);
}

static void vectors(void)
{
    int *counts = malloc(4u * n), *displs = malloc(4u * n), total = triangle(n + 1);
    int *all = malloc(4u * total), *mine = malloc(4u * n), *back = malloc(4u * n);
    for (int i = 0; i < n; i++) {
        counts[i] = i + 1;
        displs[i] = triangle(i + 1);
        mine[i] = me * 100 + i;
    }
    MPI_Allgatherv(mine, me + 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < n; r++)
        for (int i = 0; i <= r; i++)
            CHECK_INT(all[displs[r] + i], r * 100 + i);
    csp_test_poison(back, 4u * n);
    MPI_Scatterv(all, counts, displs, MPI_INT, back, me + 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i <= me; i++)
        CHECK_INT(back[i], mine[i]);
    csp_test_poison(all, 4u * total);
    MPI_Gatherv(mine, me + 1, MPI_INT, all, counts, displs, MPI_INT, n - 1, MPI_COMM_WORLD);
    CHECK(me != n - 1 || all[total - 1] == (n - 1) * 101);
    for (int i = 0; i < n; i++)
        counts[i] = 1;
    int got = -1;
    MPI_Reduce_scatter(mine, &got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(got, 100 * triangle(n) + n * me);
    free(counts);
    free(displs);
    free(all);
    free(mine);
    free(back);
}

static void alltoall(void)
{
    int *out = malloc(4u * n), *in = malloc(4u * n), *ones = malloc(4u * n), *at = malloc(4u * n);
    int *bytes = malloc(4u * n);
    MPI_Datatype *types = malloc(sizeof *types * (size_t)n);
    for (int i = 0; i < n; i++) {
        out[i] = me * 100 + i;
        ones[i] = 1;
        at[i] = i;
        bytes[i] = 4 * i;
        types[i] = MPI_INT;
    }
    for (int kind = 0; kind < 3; kind++) {
        csp_test_poison(in, 4u * n);
        if (kind == 0)
            MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        else if (kind == 1)
            MPI_Alltoallv(out, ones, at, MPI_INT, in, ones, at, MPI_INT, MPI_COMM_WORLD);
        else
            MPI_Alltoallw(out, ones, bytes, types, in, ones, bytes, types, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            CHECK_INT(in[i], i * 100 + me);
    }
    free(out);
    free(in);
    free(ones);
    free(at);
    free(bytes);
    free(types);
}

static void reductions(void)
{
    int sum = -1, value = me + 1, *all = malloc(4u * n), got = -1;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(sum, triangle(n + 1));
    sum = value;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_INT(sum, n);
    MPI_Scan(&value, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(got, triangle(me + 2));
    got = 0;
    MPI_Exscan(&value, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(got, triangle(me + 1));
    for (int i = 0; i < n; i++)
        all[i] = i;
    MPI_Reduce_scatter_block(all, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(got, n * me);
    all[me] = me * 5;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        CHECK_INT(all[i], 5 * i);
    free(all);
}

int main(void)
{
    csp_test_init();
    n = csp_test_size;
    me = csp_test_rank;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int root = 0; root < n; root++)
        rooted(root);
    vectors();
    alltoall();
    reductions();
    return csp_test_done();
}
