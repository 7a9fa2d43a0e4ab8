// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Quotas of control groups, in made-up hierarchies.
#include "unit.h"
#include "topo/quota.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    for (char *slash = strchr(path + strlen(dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static struct csp_quota of(const char *groups)
{
    char own[128];
    put("own", groups);
    snprintf(own, sizeof(own), "%s/own", dir);
    return csp_quota_read(own, dir);
}

static int make_dir(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/csp-quota-XXXXXX");
    return mkdtemp(dir) ? 0 : 1;
}

static int remove_one(const char *path, const struct stat *is, int type, struct FTW *at)
{
    (void)is, (void)type, (void)at;
    return remove(path);
}

static int remove_dir(void **state)
{
    (void)state;
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void the_least_of_those_above_counts(void **state)
{
    (void)state;
    put("cpu.max", "max 100000\n"); // of the root, in a container
    put("job/cpu.max", "250000 100000\n");
    put("job/step/cpu.max", "800000 100000\n");
    put("job/free/cpu.max", "max 100000\n");
    struct csp_quota step = of("0::/job/step\n"), beside = of("0::/job/free\n"),
                     job = of("0::/job\n");
    assert_true(step.cpus == 2 && beside.cpus == 2 && job.cpus == 2); // 2.5
    assert_true(step.group == job.group && beside.group == job.group);
    assert_true(of("0::/other\n").cpus == 0);
    assert_true(of("0::/job/step/deeper/still\n").cpus == 2);
    put("cpu.max", "50000 100000\n");
    assert_true(of("0::/job/step\n").cpus == 1);
    assert_true(of("0::/outside/of/it\n").cpus == 1);
}

static void version_1(void **state)
{
    (void)state;
    put("cpu,cpuacct/a/cpu.cfs_quota_us", "200000\n");
    put("cpu,cpuacct/a/cpu.cfs_period_us", "50000\n");
    put("cpu,cpuacct/b/cpu.cfs_quota_us", "-1\n");
    put("cpu,cpuacct/b/cpu.cfs_period_us", "100000\n");
    assert_true(of("5:memory:/x\n4:cpu,cpuacct:/a\n1:name=systemd:/y\n").cpus == 4);
    assert_true(of("4:cpu,cpuacct:/b\n").cpus == 0);
    assert_true(of("4:cpuset:/a\n").cpus == 0);
}

static void nothing_to_read(void **state)
{
    (void)state;
    assert_true(csp_quota_read("/nowhere/own", dir).cpus == 0);
    assert_true(of("").cpus == 0);
    assert_true(of("nonsense\n0:\n0::relative\n").cpus == 0);
    put("cpu.max", "some\n");
    assert_true(of("0::/\n").cpus == 0);
}

static void groups_are_counted_once(void **state)
{
    (void)state;
    struct csp_quota all[] = {{2, 7}, {3, 9}, {2, 7}, {3, 9}, {2, 7}};
    assert_true(csp_quota_sum(all, 5) == 5);
    all[2].cpus = 0; // one that has none
    assert_true(csp_quota_sum(all, 5) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_least_of_those_above_counts, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(version_1, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(nothing_to_read, make_dir, remove_dir),
        cmocka_unit_test(groups_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
