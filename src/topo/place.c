// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "topo/place.h"
#include "topo/domain.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int get_mask(union csp_cpus *mask)
{
    CPU_ZERO_S(sizeof *mask, &mask->set);
    return sched_getaffinity(0, sizeof *mask, &mask->set);
}

int csp_domain_find(const union csp_cpus *mask, int want, union csp_cpus *cpus)
{
#ifdef CSP_HAVE_HWLOC
    int found = csp_domain_find_hwloc(mask, want, cpus);
    if (found > 0)
        return found;
#endif
    return csp_domain_find_sys("/sys/devices/system/node", mask, want, cpus);
}

void csp_place_mask(struct csp_place_mask *out)
{
    union csp_cpus mask;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int known = get_mask(&mask) == 0;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < CSP_PLACE_CPUS_MAX; i++)
        if (known ? CPU_ISSET_S((size_t)i, sizeof mask, &mask.set) : i < online)
            out->words[i / 64] |= UINT64_C(1) << (i % 64);
}

int csp_place_count(const struct csp_place_mask *mask)
{
    int n = 0;
    for (int i = 0; i < CSP_PLACE_CPUS_MAX / 64; i++)
        n += __builtin_popcountll(mask->words[i]);
    return n;
}

uint64_t csp_place_machine(void)
{
    char text[64] = "";
    uint64_t hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (f && !fgets(text, sizeof text, f))
        text[0] = 0;
    if (f)
        fclose(f);
    if (!text[0])
        gethostname(text, sizeof text - 1);
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}

enum csp_status csp_place_ghost(int gidx, int ng, char *text, unsigned text_bytes)
{
    union csp_cpus mask, cpus;
    if (gidx < 0 || gidx >= ng)
        return CSP_ERR_ARG;
    if (get_mask(&mask)) {
        snprintf(text, text_bytes, "affinity unknown (%m), left as it is");
        return CSP_ERR_SYS;
    }
    int domains = csp_domain_find(&mask, -1, &cpus);
    int ncpus = CPU_COUNT_S(sizeof mask, &mask.set);
    if (domains < 2) {
        snprintf(text, text_bytes, "left on its %d CPU%s in %s", ncpus, ncpus == 1 ? "" : "s",
                 domains ? "one NUMA domain" : "unknown NUMA domains");
        return CSP_OK;
    }
    int want = gidx % domains;
    csp_domain_find(&mask, want, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus.set)) {
        snprintf(text, text_bytes, "binding refused (%m), left on its %d CPUs", ncpus);
        return CSP_ERR_PERM;
    }
    snprintf(text, text_bytes, "bound to %d of its %d CPUs, NUMA domain %d of %d",
             CPU_COUNT_S(sizeof cpus, &cpus.set), ncpus, want, domains);
    return CSP_OK;
}

// struct sched_attr of the kernel; glibc has no wrapper.
struct slice_attr {
    uint32_t size, sched_policy;
    uint64_t sched_flags;
    int32_t sched_nice;
    uint32_t sched_priority;
    uint64_t sched_runtime, sched_deadline, sched_period;
};

void csp_place_short_slice(void)
{
#if defined(SYS_sched_setattr) && defined(SYS_sched_getattr)
    struct slice_attr a = {.size = sizeof(a)};
    if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) != 0 || a.sched_policy != SCHED_OTHER)
        return;
    a.size = sizeof(a);
    a.sched_runtime = 100000; // ns, the least that the kernel takes
    (void)syscall(SYS_sched_setattr, 0, &a, 0);
#endif
}
