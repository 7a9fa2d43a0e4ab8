// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "topo/quota.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

// The numbers at the beginning of a file of a group, at most two. @return how many there are.
static int read_numbers(const char *folder, const char *name, int64_t *first, int64_t *second)
{
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    int n = f ? fscanf(f, "%" SCNd64 " %" SCNd64, first, second) : 0;
    if (f)
        fclose(f);
    return n;
}

// Microseconds in each period, on all CPUs together. Version 2 has both in a file ("max": no quota), version 1 in two (-1).
static int64_t quota_of(const char *folder)
{
    int64_t quota = 0, period = 0, unused;
    int known = read_numbers(folder, "cpu.max", &quota, &period) == 2 ||
                (read_numbers(folder, "cpu.cfs_quota_us", &quota, &unused) == 1 &&
                 read_numbers(folder, "cpu.cfs_period_us", &period, &unused) == 1);
    if (!known || quota <= 0 || period <= 0)
        return 0;
    return quota < period ? 1 : quota / period;
}

// From a group up to the root of its hierarchy. Inside a container the path may be that outside: then only the root is there.
static void look_up(struct csp_quota *least, const char *root, const char *group)
{
    char path[PATH_BYTES];
    size_t root_bytes = strlen(root);
    if (snprintf(path, sizeof(path), "%s%s", root, group) >= (int)sizeof(path))
        return;
    for (;;) {
        struct stat is;
        int64_t cpus = quota_of(path);
        if (cpus && (!least->cpus || cpus < least->cpus) && stat(path, &is) == 0)
            *least = (struct csp_quota){cpus, is.st_ino};
        char *slash = strrchr(path + root_bytes, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

static int has_word(const char *list, const char *end, const char *word)
{
    size_t bytes = strlen(word);
    for (const char *at = list; at < end; at += strcspn(at, ",:") + 1)
        if (strcspn(at, ",:") == bytes && strncmp(at, word, bytes) == 0)
            return 1;
    return 0;
}

struct csp_quota csp_quota_read(const char *own, const char *root)
{
    struct csp_quota least = {0, 0};
    char line[PATH_BYTES], hierarchy[PATH_BYTES];
    FILE *f = fopen(own, "r");
    while (f && fgets(line, sizeof(line), f)) { // number:controllers:path
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *path = NULL;
        path = controllers ? strchr(++controllers, ':') : NULL;
        if (!path || path[1] != '/')
            continue;
        int named = has_word(controllers, path, "cpu");
        if (path != controllers && !named)
            continue;
        snprintf(hierarchy, sizeof(hierarchy), "%s%s%.*s", root, named ? "/" : "",
                 (int)(path - controllers), controllers);
        look_up(&least, hierarchy, path + 1);
    }
    if (f)
        fclose(f);
    return least;
}

static int by_group(const void *a, const void *b)
{
    uint64_t x = ((const struct csp_quota *)a)->group, y = ((const struct csp_quota *)b)->group;
    return (x > y) - (x < y);
}

int64_t csp_quota_sum(struct csp_quota *quotas, int n)
{
    int64_t sum = 0;
    qsort(quotas, (size_t)n, sizeof(*quotas), by_group);
    for (int i = 0; i < n; i++) {
        if (quotas[i].cpus == 0)
            return 0;
        if (i == 0 || quotas[i].group != quotas[i - 1].group)
            sum += quotas[i].cpus;
    }
    return sum;
}
