// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Runs the programs of some seeds. Output of rank 0:
//     seed S begins
//     seed S ok digest D, or: seed S wrong: what, where
//     --list: "ids N" and "id kind parent" lines for shrinking, and the program in words
// Exit code 1: some seed went wrong; 124: a seed took too long, said on stderr.
#include "rnd.h"
#include <getopt.h>
#include <pthread.h>

int rnd_rank, rnd_ranks, rnd_nodes[RND_MAX_RANKS];
static char first_wrong[512];
static pthread_mutex_t wrong_mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int at_id;
static const char *_Atomic at_what = "start";
static uint64_t seed_now;

void rnd_at(const char *what, int id)
{
    at_what = what;
    at_id = id;
}

void rnd_wrong(const char *text)
{
    pthread_mutex_lock(&wrong_mutex);
    if (!first_wrong[0])
        snprintf(first_wrong, sizeof first_wrong, "rank %d, %s", csp_test_rank, text);
    pthread_mutex_unlock(&wrong_mutex);
}

void rnd_vwrong(const char *where, const char *fmt, va_list ap)
{
    char text[320], all[448];
    vsnprintf(text, sizeof text, fmt, ap);
    snprintf(all, sizeof all, "%s: %s", where, text);
    rnd_wrong(all);
}

static void on_alarm(int signum)
{
    char text[256];
    int n = snprintf(text, sizeof text, "seed %llu hangs: rank %d at %s %d\n",
                     (unsigned long long)seed_now, csp_test_rank, at_what, at_id);
    (void)signum;
    if (write(2, text, (size_t)n) < 0)
        _exit(CSP_TEST_TIMEOUT);
    sleep(2); // let the other ranks speak too
    _exit(CSP_TEST_TIMEOUT);
}

/** The message of the lowest rank that has one. @return it, on all ranks; empty: none */
static const char *agree_on_wrong(void)
{
    int mine = first_wrong[0] ? csp_test_rank : csp_test_size, lowest;
    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest < csp_test_size)
        MPI_Bcast(first_wrong, sizeof first_wrong, MPI_CHAR, lowest, MPI_COMM_WORLD);
    return first_wrong;
}

static void run_planned(uint64_t seed)
{
    uint64_t digest = rnd_tester.run();
    const char *wrong = agree_on_wrong();
    if (wrong[0])
        atomic_fetch_add(&csp_test_errors, 1);
    if (csp_test_rank == 0 && wrong[0])
        printf("seed %llu wrong: %s\n", (unsigned long long)seed, wrong);
    else if (csp_test_rank == 0)
        printf("seed %llu ok digest %016llx\n", (unsigned long long)seed,
               (unsigned long long)digest);
}

static void run_seed(uint64_t seed)
{
    seed_now = seed;
    first_wrong[0] = '\0';
    alarm((unsigned)rnd_opts.limit_s);
    if (csp_test_rank == 0)
        printf("seed %llu begins\n", (unsigned long long)seed);
    fflush(stdout);
    rnd_tester.plan(seed);
    if (!rnd_opts.list)
        run_planned(seed);
    else if (csp_test_rank == 0)
        rnd_tester.list();
    fflush(stdout);
    rnd_free_all();
}

/** "3,7-12" */
static void skip(const char *list)
{
    char *copy = strdup(list), *save = NULL;
    for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        int low = 0, high = -1, n = sscanf(w, "%d-%d", &low, &high);
        high = n == 2 ? high : low;
        if (high >= rnd_opts.nskip) {
            rnd_opts.skip = realloc(rnd_opts.skip, (size_t)high + 1);
            memset(rnd_opts.skip + rnd_opts.nskip, 0, (size_t)(high + 1 - rnd_opts.nskip));
            rnd_opts.nskip = high + 1;
        }
        memset(rnd_opts.skip + low, 1, (size_t)(high - low + 1));
    }
    free(copy);
}

static void parse(int argc, char **argv)
{
    static const struct option options[] = {{"seed", 1, NULL, 's'},   {"count", 1, NULL, 'c'},
                                            {"repeat", 1, NULL, 'r'}, {"phases", 1, NULL, 'p'},
                                            {"limit", 1, NULL, 'l'},  {"without", 1, NULL, 'w'},
                                            {"skip", 1, NULL, 'k'},   {"break", 1, NULL, 'b'},
                                            {"list", 0, NULL, 'L'},   {NULL, 0, NULL, 0}};
    rnd_opts = (struct rnd_options){
        .seed = 1, .count = 1, .repeat = 1, .phases = rnd_tester.phases, .limit_s = 60};
    memset(rnd_opts.feature, 1, sizeof rnd_opts.feature);
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        if (c == 's')
            rnd_opts.seed = strtoull(optarg, NULL, 10);
        else if (c == 'c')
            rnd_opts.count = atoi(optarg);
        else if (c == 'r')
            rnd_opts.repeat = atoi(optarg);
        else if (c == 'p')
            rnd_opts.phases = atoi(optarg);
        else if (c == 'l')
            rnd_opts.limit_s = atoi(optarg);
        else if (c == 'w')
            rnd_disable(optarg);
        else if (c == 'k')
            skip(optarg);
        else if (c == 'L')
            rnd_opts.list = true;
        else if (c != 'b' || !rnd_tester.spoil(optarg))
            exit(2);
}

static void look_around(void)
{
    int mine = csp_test_node();
    rnd_rank = csp_test_rank;
    rnd_ranks = csp_test_size;
    MPI_Allgather(&mine, 1, MPI_INT, rnd_nodes, 1, MPI_INT, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int provided;
    parse(argc, argv);
    csp_test_init_thread(rnd_has(RND_F_THREADS) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                         &provided);
    signal(SIGALRM, on_alarm);
    rnd_opts.threads = provided == MPI_THREAD_MULTIPLE;
    if (csp_test_size > RND_MAX_RANKS)
        csp_test_skip("too many ranks");
    look_around();
    for (int i = 0; i < rnd_opts.count; i++)
        for (int r = 0; r < rnd_opts.repeat; r++)
            run_seed(rnd_opts.seed + (uint64_t)i);
    free(rnd_opts.skip);
    return csp_test_done();
}
