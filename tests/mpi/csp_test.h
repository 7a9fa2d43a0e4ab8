// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What every MPI test includes: start and end, checks with an error count, a time limit, poisoned
// buffers. A test is an ordinary MPI program; it knows nothing of ghosts. It ends with
// `return csp_test_done();`: the error count is summed over all ranks, so all exit alike. Checks
// may be used by several threads.
#ifndef CSP_TEST_H
#define CSP_TEST_H

#include <execinfo.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MPICH 4.0 and Open MPI 5 declare arrays so that MPI_STATUSES_IGNORE and MPI_UNWEIGHTED look too
// small to the compiler.
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"

#if __has_include("csp_mpi_have.h")
#include "csp_mpi_have.h" // found by link probes: the header's version says too little
#else
#define CSP_HAVE_MPI_Put_c (MPI_VERSION >= 4)
#define CSP_HAVE_MPI_Session_init (MPI_VERSION >= 4)
#define CSP_HAVE_MPI_Allreduce_init (MPI_VERSION >= 4)
#define CSP_HAVE_MPI_Psend_init (MPI_VERSION >= 4)
#endif

// Handles as integers. The standard ABI has functions of its own in place of those for Fortran.
#if CSP_HAVE_MPI_Comm_toint && !CSP_HAVE_MPI_Comm_c2f
#define CSP_TEST_INT(kind, handle) MPI_##kind##_toint(handle)
#define CSP_TEST_HANDLE(kind, value) MPI_##kind##_fromint(value)
#else
#define CSP_TEST_INT(kind, handle) ((int)MPI_##kind##_c2f(handle))
#define CSP_TEST_HANDLE(kind, value) MPI_##kind##_f2c((MPI_Fint)(value))
#endif

enum {
    CSP_TEST_SKIP = 77,       // exit code "skipped"
    CSP_TEST_TIMEOUT = 124,   // exit code "took too long"
    CSP_TEST_MAX_PRINTED = 8, // failures printed by one rank
    CSP_TEST_POISON = 0xA5,
};

// The calling rank and the number of ranks of MPI_COMM_WORLD.
static int csp_test_rank = -1, csp_test_size;
static atomic_int csp_test_errors;
static const char *volatile csp_test_phase = "start"; // printed when the time is over

#define PHASE(text) ((void)(csp_test_phase = (text)))

__attribute__((format(printf, 3, 4), unused)) static void csp_test_fail(const char *file, int line,
                                                                        const char *fmt, ...)
{
    if (atomic_fetch_add(&csp_test_errors, 1) >= CSP_TEST_MAX_PRINTED)
        return;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "%s:%d: rank %d: %s (in \"%s\")\n", file, line, csp_test_rank, text,
            csp_test_phase);
}

#define FAIL(...) csp_test_fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond) ((cond) ? (void)0 : FAIL("not true: %s", #cond))
#define CHECK_MSG(cond, ...) ((cond) ? (void)0 : FAIL(__VA_ARGS__))
#define CHECK_INT(got, want)                                                                       \
    do {                                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);                              \
        if (got_ != want_)                                                                         \
            FAIL("%s is %lld, not %lld", #got, got_, want_);                                       \
    } while (0)
#define CHECK_STR(got, want)                                                                       \
    do {                                                                                           \
        if (strcmp((got), (want)) != 0)                                                            \
            FAIL("%s is \"%s\", not \"%s\"", #got, (got), (want));                                 \
    } while (0)
// The function returned an error of this class (needs MPI_ERRORS_RETURN).
#define CHECK_CLASS(call, want_class)                                                              \
    do {                                                                                           \
        int class_ = MPI_SUCCESS, rc_ = (call);                                                    \
        if (rc_ != MPI_SUCCESS)                                                                    \
            MPI_Error_class(rc_, &class_);                                                         \
        if (class_ != (want_class))                                                                \
            FAIL("%s: error class %d, not %s", #call, class_, #want_class);                        \
    } while (0)

static void csp_test_on_alarm(int signum)
{
    (void)signum;
    char text[256];
    int n = snprintf(text, sizeof text, "rank %d: time is over, stuck in \"%s\"\n", csp_test_rank,
                     csp_test_phase);
    if (write(2, text, (size_t)n) < 0)
        _exit(CSP_TEST_TIMEOUT);
    if (csp_test_rank <= 0) { // where: one of them is enough, or all if nobody has got its rank
        void *frames[24];
        backtrace_symbols_fd(frames, backtrace(frames, 24), 2);
    }
    sleep(1); // let the other ranks speak too
    _exit(CSP_TEST_TIMEOUT);
}

/** Starts the clock: CASPER_TEST_LIMIT_S seconds, or 60. Called by csp_test_init. */
static inline void csp_test_limit(void)
{
    const char *limit = getenv("CASPER_TEST_LIMIT_S");
    int seconds = limit ? atoi(limit) : 0;
    signal(SIGALRM, csp_test_on_alarm);
    alarm(seconds > 0 ? (unsigned)seconds : 60);
}

/** The number of ranks that the runner asked for (CASPER_TEST_USERS), or 0 if it did not say. */
static inline int csp_test_users(void)
{
    const char *users = getenv("CASPER_TEST_USERS");
    return users ? atoi(users) : 0;
}

static inline void csp_test_init_thread(int required, int *provided)
{
    csp_test_limit();
    MPI_Init_thread(NULL, NULL, required, provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &csp_test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &csp_test_size);
    if (csp_test_users() > 0)
        CHECK_INT(csp_test_size, csp_test_users());
}

static inline void csp_test_init(void)
{
    int provided;
    csp_test_init_thread(MPI_THREAD_SINGLE, &provided);
}

/** Ends MPI and the process as "skipped". Every rank must call it. */
__attribute__((noreturn, unused)) static void csp_test_skip(const char *reason)
{
    if (csp_test_rank <= 0)
        printf("skipped: %s\n", reason);
    int finalized = 0, initialized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized)
        MPI_Finalize();
    exit(atomic_load(&csp_test_errors) ? EXIT_FAILURE : CSP_TEST_SKIP);
}

/** The lowest rank on this process's node. All ranks call it. */
static inline int csp_test_node(void)
{
    MPI_Comm node;
    int lowest = csp_test_rank;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    return lowest;
}

/** Skips unless there are at least `n` ranks. */
static inline void csp_test_need(int n)
{
    if (csp_test_size < n)
        csp_test_skip("too few ranks");
}

/** Skips on a machine with less memory than so many GiB. */
static inline void csp_test_need_memory(int gib)
{
    if (sysconf(_SC_PHYS_PAGES) / (1 << 18) * (sysconf(_SC_PAGESIZE) / 4096) < gib)
        csp_test_skip("too little memory");
}

/** Sums the errors of all ranks and ends MPI. @return the exit code for main. */
static inline int csp_test_done(void)
{
    PHASE("done");
    int mine = atomic_load(&csp_test_errors), sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum && csp_test_rank == 0)
        fprintf(stderr, "%d errors\n", sum);
    PHASE("finalize");
    MPI_Finalize();
    alarm(0);
    return sum ? 1 : 0;
}

/** Fills a buffer with a pattern that no test expects as data. */
static inline void csp_test_poison(void *buf, size_t bytes)
{
    memset(buf, CSP_TEST_POISON, bytes);
}

/** malloc of poisoned memory. */
static inline void *csp_test_malloc(size_t bytes)
{
    void *buf = malloc(bytes ? bytes : 1);
    if (!buf)
        abort();
    csp_test_poison(buf, bytes);
    return buf;
}

/** All `bytes` still hold the poison. */
static inline int csp_test_is_poison(const void *buf, size_t bytes)
{
    const unsigned char *p = buf;
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != CSP_TEST_POISON)
            return 0;
    return 1;
}

#endif
