// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The ghosts of the job as processes of this machine: those that run the same program for the same job and are no
// user.
#ifndef CSP_TEST_CASPER_GHOSTS_H
#define CSP_TEST_CASPER_GHOSTS_H

#include <dirent.h>

#include "casper_only.h"

enum { CASPER_GHOSTS_MOST = 64, CASPER_USERS_MOST = 64 };

/** Does the process run the same program for the same job? */
static inline int casper_ghosts_same_job(const char *pid, const char *mark)
{
    static char text[1 << 16];
    char path[64], mine[4096] = "", its[4096] = "";
    snprintf(path, sizeof path, "/proc/%.20s/exe", pid);
    if (readlink("/proc/self/exe", mine, sizeof mine - 1) < 0 ||
        readlink(path, its, sizeof its - 1) < 0 || strcmp(mine, its) != 0)
        return 0;
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    return memmem(text, n, mark, strlen(mark)) != NULL;
}

static inline int casper_ghosts_is_user(long pid, const long *users)
{
    for (int i = 0; i < csp_test_size; i++)
        if (users[i] == pid)
            return 1;
    return 0;
}

/** Collective over MPI_COMM_WORLD. @return how many there are; their ids in `pids`. */
static inline int casper_ghosts_find(long *pids)
{
    const char *mark = getenv("CASPER_RUN_MARK");
    long mine = getpid(), users[CASPER_USERS_MOST];
    int n = 0;
    CHECK(csp_test_size <= CASPER_USERS_MOST);
    MPI_Allgather(&mine, 1, MPI_LONG, users, 1, MPI_LONG, MPI_COMM_WORLD);
    DIR *proc = opendir("/proc");
    for (struct dirent *e; mark && n < CASPER_GHOSTS_MOST && (e = readdir(proc));) {
        long pid = atol(e->d_name);
        if (pid > 0 && !casper_ghosts_is_user(pid, users) &&
            casper_ghosts_same_job(e->d_name, mark))
            pids[n++] = pid;
    }
    closedir(proc);
    return n;
}

/** The most memory that a process ever had, in KB, or -1. */
static inline long casper_ghosts_peak_kb(long pid)
{
    char path[64], line[256];
    long kb = -1;
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = atol(line + 6);
    if (f)
        fclose(f);
    return kb;
}

/** Seconds that a process was ready and had no core. */
static inline double casper_ghosts_coreless(long pid)
{
    char path[64];
    double ran = 0, waited = 0;
    snprintf(path, sizeof path, "/proc/%ld/schedstat", pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%lf %lf", &ran, &waited) != 2)
        waited = 0;
    if (f)
        fclose(f);
    return waited * 1e-9;
}

#endif
