// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>

// The block with poison behind its end.
static struct csp_topo *build(const int32_t *nodes, int nranks, int nnodes, int ng)
{
    uint64_t bytes = csp_topo_bytes(nranks, nnodes, ng);
    struct csp_topo *t = malloc(bytes + 64);
    memset(t, 0x5a, bytes + 64);
    if (csp_topo_build(nodes, nranks, nnodes, ng, t)) {
        free(t);
        return NULL;
    }
    for (int i = 0; i < 64; i++)
        assert_int_equal(((char *)t)[bytes + (uint64_t)i], 0x5a);
    return t;
}

// Holds for every map, whatever its shape.
static void check_ranks(const struct csp_topo *t, const int32_t *nodes)
{
    int32_t urank = 0;
    for (int w = 0; w < t->nranks; w++) {
        int32_t lrank = 0;
        for (int v = 0; v < w; v++)
            lrank += nodes[v] == nodes[w];
        assert_int_equal(csp_topo_node_of_wrank(t)[w], nodes[w]);
        assert_int_equal(csp_topo_lrank_of_wrank(t)[w], lrank);
        if (lrank < t->ng) {
            assert_int_equal(csp_topo_urank_of_wrank(t)[w], -1);
            assert_int_equal(csp_topo_ghosts(t)[nodes[w] * t->ng + lrank], w);
            assert_int_equal(csp_topo_bound_gidx(t, w), lrank);
        } else {
            assert_int_equal(csp_topo_urank_of_wrank(t)[w], urank); // order of the real world
            assert_int_equal(csp_topo_wrank_of_urank(t)[urank], w);
            urank++;
        }
        if (lrank == t->ng)
            assert_int_equal(csp_topo_first_user(t)[nodes[w]], w);
    }
    assert_int_equal(urank, t->nusers);
}

// Users of a node are bound in blocks: gidx never falls, and shares differ by one at most.
static void check_binding(const struct csp_topo *t)
{
    for (int node = 0; node < t->nnodes; node++) {
        int share[64] = {0}, last = 0, users = 0;
        for (int w = 0; w < t->nranks; w++) {
            if (csp_topo_node_of_wrank(t)[w] != node || csp_topo_urank_of_wrank(t)[w] < 0)
                continue;
            int gidx = csp_topo_bound_gidx(t, w);
            assert_true(gidx >= last && gidx < t->ng);
            last = gidx;
            share[gidx]++;
            users++;
        }
        assert_int_equal(csp_topo_users_of_node(t)[node], users);
        for (int g = 0; g < t->ng; g++)
            assert_true(share[g] == users / t->ng || share[g] == users / t->ng + 1);
    }
}

static void check(const int32_t *nodes, int nranks, int nnodes, int ng)
{
    struct csp_topo *t = build(nodes, nranks, nnodes, ng);
    assert_non_null(t);
    assert_true(t->nranks == nranks && t->nnodes == nnodes && t->ng == ng);
    assert_int_equal(t->nusers, nranks - nnodes * ng);
    check_ranks(t, nodes);
    if (ng > 0)
        check_binding(t);
    else
        assert_int_equal(csp_topo_bound_gidx(t, 0), -1);
    free(t);
}

static void one_process(void **state)
{
    (void)state;
    static const int32_t nodes[] = {0};
    check(nodes, 1, 1, 0);
    assert_null(build(nodes, 1, 1, 1));
}

static void two_nodes_by_hand(void **state)
{
    (void)state;
    static const int32_t nodes[] = {0, 0, 0, 1, 1, 1};
    static const int32_t users[] = {1, 2, 4, 5}, uranks[] = {-1, 0, 1, -1, 2, 3};
    struct csp_topo *t = build(nodes, 6, 2, 1);
    assert_non_null(t);
    assert_memory_equal(csp_topo_wrank_of_urank(t), users, sizeof users);
    assert_memory_equal(csp_topo_urank_of_wrank(t), uranks, sizeof uranks);
    assert_int_equal(csp_topo_ghosts(t)[0], 0);
    assert_int_equal(csp_topo_ghosts(t)[1], 3);
    assert_int_equal(csp_topo_first_user(t)[0], 1);
    assert_int_equal(csp_topo_first_user(t)[1], 4);
    free(t);
}

static void round_robin(void **state)
{
    (void)state;
    static const int32_t nodes[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    for (int ng = 0; ng < 4; ng++)
        check(nodes, 12, 3, ng);
    assert_null(build(nodes, 12, 3, 4));
}

static void uneven_nodes(void **state)
{
    (void)state;
    static const int32_t nodes[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 0, 1, 0, 2, 2};
    check(nodes, COUNT(nodes), 3, 0);
    check(nodes, COUNT(nodes), 3, 1);
    check(nodes, COUNT(nodes), 3, 2);
    assert_null(build(nodes, COUNT(nodes), 3, 3)); // node 1 has three ranks
}

static void more_ghosts_than_users(void **state)
{
    (void)state;
    static const int32_t nodes[] = {0, 0, 0, 0, 0, 0};
    for (int ng = 0; ng < 6; ng++)
        check(nodes, 6, 1, ng);
    assert_null(build(nodes, 6, 1, 6));
    assert_null(build(nodes, 6, 1, 7));
}

static void random_shapes(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int32_t nodes[200];
    for (int round = 0; round < 200; round++) {
        int nnodes = 1 + (int)(unit_random(&seed) % 9), ng = (int)(unit_random(&seed) % 5);
        int nranks = nnodes * (ng + 1) + (int)(unit_random(&seed) % 100);
        for (int w = 0; w < nranks; w++) // first enough for every node, then anywhere
            nodes[w] = w < nnodes * (ng + 1) ? w % nnodes
                                             : (int32_t)(unit_random(&seed) % (unsigned)nnodes);
        check(nodes, nranks, nnodes, ng);
    }
}

static void wrong_maps_are_refused(void **state)
{
    (void)state;
    static const int32_t not_by_lowest[] = {1, 0, 1, 0}, hole[] = {0, 0, 2, 2};
    static const int32_t negative[] = {0, -1, 0, 0}, too_many[] = {0, 0, 1, 2};
    assert_null(build(not_by_lowest, 4, 2, 0));
    assert_null(build(hole, 4, 3, 0));
    assert_null(build(negative, 4, 1, 0));
    assert_null(build(too_many, 4, 2, 0));
    assert_null(build(too_many, 4, 4, 0)); // one node without a rank
    struct csp_topo t;
    assert_int_equal(csp_topo_build(hole, 0, 1, 0, &t), CSP_ERR_ARG);
    assert_int_equal(csp_topo_build(hole, 4, 0, 0, &t), CSP_ERR_ARG);
    assert_int_equal(csp_topo_build(hole, 4, 1, -1, &t), CSP_ERR_ARG);
    assert_int_equal(csp_topo_build(hole, 4, 5, 0, &t), CSP_ERR_ARG);
    assert_int_equal(csp_topo_build(hole, 4, 4, INT32_MAX, &t), CSP_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process),
        cmocka_unit_test(two_nodes_by_hand),
        cmocka_unit_test(round_robin),
        cmocka_unit_test(uneven_nodes),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(more_ghosts_than_users),
        cmocka_unit_test(wrong_maps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
