// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Domains are read from made-up /sys trees; binding itself is tried on this machine's one.
#include "unit.h"
#include "topo/domain.h"
#include "topo/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NODES_MAX = 4 };

static char dir[64];

static int ncpus(void)
{
    struct csp_place_mask mask;
    csp_place_mask(&mask);
    return csp_place_count(&mask);
}

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

// A tree with the given lists of CPUs, node 0 first; NULL: the node is not there.
static void make_tree(const char *online, const char *const lists[NODES_MAX])
{
    snprintf(dir, sizeof dir, "/tmp/casper-unit-XXXXXX");
    assert_non_null(mkdtemp(dir));
    put("online", online);
    for (int i = 0; i < NODES_MAX; i++) {
        char name[128];
        if (!lists[i])
            continue;
        snprintf(name, sizeof name, "%s/node%d", dir, i);
        assert_int_equal(mkdir(name, 0700), 0);
        snprintf(name, sizeof name, "node%d/cpulist", i);
        put(name, lists[i]);
    }
}

static int remove_tree(void **state)
{
    (void)state;
    char path[128];
    for (int i = 0; i < NODES_MAX; i++) {
        snprintf(path, sizeof path, "%s/node%d/cpulist", dir, i);
        unlink(path);
        snprintf(path, sizeof path, "%s/node%d", dir, i);
        rmdir(path);
    }
    snprintf(path, sizeof path, "%s/online", dir);
    unlink(path);
    return rmdir(dir);
}

// Number of domains that `mask` reaches; the CPUs of number `want` must be `expected`.
static int find(const char *mask_list, int want, const char *expected)
{
    union csp_cpus mask, cpus, right;
    assert_int_equal(csp_domain_parse(mask_list, &mask), 0);
    CPU_ZERO_S(sizeof cpus, &cpus.set);
    int found = csp_domain_find_sys(dir, &mask, want, &cpus);
    assert_int_equal(csp_domain_parse(expected, &right), 0);
    assert_true(CPU_EQUAL_S(sizeof cpus, &cpus.set, &right.set));
    return found;
}

static void two_sockets(void **state)
{
    (void)state;
    make_tree("0-1\n", (const char *const[NODES_MAX]){"0-3,8-11\n", "4-7,12-15\n"});
    assert_int_equal(find("0-15", -1, ""), 2);
    assert_int_equal(find("0-15", 0, "0-3,8-11"), 2);
    assert_int_equal(find("0-15", 1, "4-7,12-15"), 2);
    assert_int_equal(find("0-15", 2, ""), 2);
    assert_int_equal(find("3-5", 1, "4-5"), 2);
    assert_int_equal(find("4-6", 0, "4-6"), 1); // within one domain
    assert_int_equal(find("99", 0, ""), 0);
}

static void holes_and_memory_only_nodes(void **state)
{
    (void)state;
    make_tree("0,2-3\n", (const char *const[NODES_MAX]){"0-1\n", NULL, "\n", "2-3\n"});
    assert_int_equal(find("0-3", 0, "0-1"), 2);
    assert_int_equal(find("0-3", 1, "2-3"), 2);
}

static void nodes_that_are_announced_but_missing(void **state)
{
    (void)state;
    make_tree("0-3\n", (const char *const[NODES_MAX]){"0-1\n", NULL, "rubbish\n", NULL});
    assert_int_equal(find("0-3", 0, "0-1"), 1);
}

static void no_tree_at_all(void **state)
{
    (void)state;
    union csp_cpus mask, cpus;
    csp_domain_parse("0-3", &mask);
    assert_int_equal(csp_domain_find_sys("/nowhere", &mask, 0, &cpus), 0);
}

static void lists(void **state)
{
    (void)state;
    static const char *const bad[] = {"x",   "1-",    "-1",      "3-1", "1,,2",
                                      "1;2", "16384", "0-99999", "1 2"};
    union csp_cpus cpus;
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(csp_domain_parse(bad[i], &cpus), -1);
    assert_int_equal(csp_domain_parse("", &cpus), 0);
    assert_int_equal(CPU_COUNT_S(sizeof cpus, &cpus.set), 0);
    assert_int_equal(csp_domain_parse("0,2-4,16383\n", &cpus), 0);
    assert_int_equal(CPU_COUNT_S(sizeof cpus, &cpus.set), 5);
    assert_true(CPU_ISSET_S(16383, sizeof cpus, &cpus.set));
}

static void placing_keeps_within_the_mask(void **state)
{
    (void)state;
    char text[128] = "";
    int before = ncpus();
    assert_true(before >= 1);
    assert_int_equal(csp_place_ghost(1, 1, text, sizeof text), CSP_ERR_ARG);
    assert_int_equal(csp_place_ghost(-1, 1, text, sizeof text), CSP_ERR_ARG);
    assert_int_equal(csp_place_ghost(0, 2, text, sizeof text), CSP_OK);
    assert_true(ncpus() >= 1 && ncpus() <= before);
    assert_true(strlen(text) > 10);
    char small[4];
    assert_int_equal(csp_place_ghost(1, 2, small, sizeof small), CSP_OK);
    assert_int_equal(strlen(small), 3);
}

static void one_cpu_stays_one(void **state)
{
    (void)state;
    union csp_cpus mask, one;
    char text[128];
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask.set), 0);
    int cpu = 0;
    while (!CPU_ISSET_S(cpu, sizeof mask, &mask.set))
        cpu++;
    CPU_ZERO_S(sizeof one, &one.set);
    CPU_SET_S(cpu, sizeof one, &one.set);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one.set), 0);
    assert_int_equal(ncpus(), 1);
    assert_int_equal(csp_place_ghost(0, 1, text, sizeof text), CSP_OK);
    assert_int_equal(ncpus(), 1);
    assert_non_null(strstr(text, "left on its 1 CPU in "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(two_sockets, remove_tree),
        cmocka_unit_test_teardown(holes_and_memory_only_nodes, remove_tree),
        cmocka_unit_test_teardown(nodes_that_are_announced_but_missing, remove_tree),
        cmocka_unit_test(no_tree_at_all),
        cmocka_unit_test(lists),
        cmocka_unit_test(placing_keeps_within_the_mask),
        cmocka_unit_test(one_cpu_stays_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
