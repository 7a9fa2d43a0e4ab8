// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The group of MPI_COMM_WORLD: size, rank, comparison, translation to and from other groups, and
// every way to make a group out of it.
#include "csp_test.h"

static void check_group(MPI_Group group, int size, int rank)
{
    int got_size = -1, got_rank = -1;
    MPI_Group_size(group, &got_size);
    MPI_Group_rank(group, &got_rank);
    CHECK_INT(got_size, size);
    CHECK_INT(got_rank, rank);
    MPI_Group_free(&group);
}

static void translate(MPI_Group world)
{
    MPI_Comm reversed;
    MPI_Group other, self;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -csp_test_rank, &reversed);
    MPI_Comm_group(reversed, &other);
    MPI_Comm_group(MPI_COMM_SELF, &self);
    for (int i = 0; i < csp_test_size; i++) {
        int there = -1, in_self = -1, n = csp_test_size;
        MPI_Group_translate_ranks(world, 1, &i, other, &there);
        CHECK_INT(there, n - 1 - i);
        MPI_Group_translate_ranks(world, 1, &i, self, &in_self);
        CHECK_INT(in_self, i == csp_test_rank ? 0 : MPI_UNDEFINED);
    }
    int same = -1;
    MPI_Group_compare(world, other, &same);
    CHECK_INT(same, csp_test_size > 1 ? MPI_SIMILAR : MPI_IDENT);
    MPI_Group_free(&other);
    MPI_Group_free(&self);
    MPI_Comm_free(&reversed);
}

static void make(MPI_Group world)
{
    int n = csp_test_size, me = csp_test_rank, zero = 0, last = n - 1;
    int all[1][3] = {{0, n - 1, 1}}, back[1][3] = {{n - 1, 0, -1}};
    MPI_Group g, h;
    MPI_Group_incl(world, 1, &last, &g);
    check_group(g, 1, me == last ? 0 : MPI_UNDEFINED);
    MPI_Group_excl(world, 1, &zero, &g);
    check_group(g, n - 1, me ? me - 1 : MPI_UNDEFINED);
    MPI_Group_range_incl(world, 1, back, &g);
    check_group(g, n, n - 1 - me);
    MPI_Group_range_excl(world, 1, all, &g);
    CHECK(g == MPI_GROUP_EMPTY);
    MPI_Group_incl(world, 1, &zero, &g);
    MPI_Group_union(g, world, &h);
    check_group(h, n, me);
    MPI_Group_intersection(world, g, &h);
    check_group(h, 1, me ? MPI_UNDEFINED : 0);
    MPI_Group_difference(world, g, &h);
    check_group(h, n - 1, me ? me - 1 : MPI_UNDEFINED);
    MPI_Group_free(&g);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Group world, again;
    MPI_Comm dup;
    int result = -1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_group(dup, &again);
    MPI_Group_compare(world, again, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Group_free(&again);
    MPI_Comm_free(&dup);
    translate(world);
    make(world);
    check_group(world, csp_test_size, csp_test_rank);
    return csp_test_done();
}
