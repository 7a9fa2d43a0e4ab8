// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Two origins flood a target that is outside MPI, without a flush. The memory of the ghosts stays
// bounded, and what a third one asks of the same target meanwhile comes back soon: rank 1, of the target's
// node, or the one that the argument names.
#include <dirent.h>

#include "casper_only.h"

enum {
    CHUNK = 32768,
    OPS = 2000,           // of each kind by each flooding origin: 128 MB
    GROWTH_KB = 64 << 10, // of a ghost
    BUSY_S = 2,           // at least as long outside MPI
    TARGET = 0,
    SINGLES = 20,
};

static const double SINGLE_LIMIT_S = 2; // for one operation: cores are few where tests run

// The number behind a word in a file of /proc, or -1.
static long number_in(const char *path, const char *word)
{
    char line[256];
    long value = -1;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, word, strlen(word)) == 0)
            value = atol(line + strlen(word));
    if (f)
        fclose(f);
    return value;
}

// Does the process run the same program for the same job?
static int is_of_job(const char *pid, const char *mark)
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

static int is_user(long pid, const long *users)
{
    for (int i = 0; i < csp_test_size; i++)
        if (users[i] == pid)
            return 1;
    return 0;
}

// The most memory that a ghost of this job ever had, in KB, and how many ghosts there are.
static long ghosts_peak_kb(const long *users, int *ghosts)
{
    const char *mark = getenv("CASPER_RUN_MARK");
    char path[64];
    long most = 0;
    DIR *proc = opendir("/proc");
    *ghosts = 0;
    for (struct dirent *e; mark && (e = readdir(proc));) {
        long pid = atol(e->d_name);
        if (pid <= 0 || is_user(pid, users) || !is_of_job(e->d_name, mark))
            continue;
        snprintf(path, sizeof path, "/proc/%ld/status", pid);
        long kb = number_in(path, "VmHWM:");
        most = kb > most ? kb : most;
        ++*ghosts;
    }
    closedir(proc);
    return most;
}

static void flood(MPI_Win win, MPI_Aint at)
{
    static char data[CHUNK];
    static int ones[CHUNK / sizeof(int)];
    for (size_t i = 0; i < CHUNK / sizeof(int); i++)
        ones[i] = 1;
    memset(data, csp_test_rank, sizeof data);
    for (int i = 0; i < OPS; i++) {
        MPI_Put(data, CHUNK, MPI_BYTE, TARGET, at, CHUNK, MPI_BYTE, win);
        MPI_Accumulate(ones, CHUNK / sizeof(int), MPI_INT, TARGET, at + CHUNK, CHUNK / sizeof(int),
                       MPI_INT, MPI_SUM, win);
    }
    MPI_Win_flush(TARGET, win);
}

static void single(MPI_Win win)
{
    int one = 1, old = -1;
    double longest = 0;
    for (int i = 0; i < SINGLES; i++) {
        casper_only_compute(0.02);
        double begin = MPI_Wtime();
        MPI_Fetch_and_op(&one, &old, MPI_INT, TARGET, 0, MPI_SUM, win);
        MPI_Win_flush(TARGET, win);
        double took = MPI_Wtime() - begin;
        longest = took > longest ? took : longest;
        CHECK_INT(old, i);
    }
    printf("the longest single operation took %.3f s\n", longest);
    CHECK_MSG(longest < SINGLE_LIMIT_S, "an operation took %.3f s beside a flood", longest);
}

static void check_memory(const int *base, int alone)
{
    CHECK_INT(base[0], SINGLES);
    for (int r = 1; r < csp_test_size; r++) {
        if (r == alone)
            continue;
        const char *mine = (const char *)base + (2 * r - 1) * CHUNK;
        int last;
        CHECK_INT(mine[CHUNK - 1], r);
        memcpy(&last, mine + 2 * CHUNK - sizeof last, sizeof last);
        CHECK_INT(last, OPS);
    }
}

int main(int argc, char **argv)
{
    csp_test_init();
    casper_only();
    csp_test_need(4);
    MPI_Win win;
    int ghosts, alone = argc > 1 ? atoi(argv[1]) : 1;
    long pid = getpid(), users[64];
    MPI_Aint bytes = (MPI_Aint)2 * CHUNK * csp_test_size;
    int *base = csp_test_win_new(bytes, 1, MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, 0);
    MPI_Allgather(&pid, 1, MPI_LONG, users, 1, MPI_LONG, MPI_COMM_WORLD);
    long before = ghosts_peak_kb(users, &ghosts);
    CHECK(ghosts > 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    PHASE("flood");
    if (csp_test_rank == TARGET)
        casper_only_compute(BUSY_S);
    else if (csp_test_rank == alone)
        single(win);
    else
        flood(win, (2 * csp_test_rank - 1) * (MPI_Aint)CHUNK);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    long after = ghosts_peak_kb(users, &ghosts);
    if (csp_test_rank == 0)
        printf("peak of a ghost: %ld KB before, %ld KB after\n", before, after);
    CHECK_MSG(after - before < GROWTH_KB, "a ghost grew by %ld KB", after - before);
    csp_test_own(win, MPI_COMM_WORLD);
    if (csp_test_rank == TARGET)
        check_memory(base, alone);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
