// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Random RMA programs, each run and compared with a serial model. Output of rank 0:
//     seed S begins
//     seed S ok digest D, or: seed S wrong: what, where
//     --list: "ids N" and "id kind parent" lines for shrinking, and the program in words
// Exit code 1: some seed went wrong; 124: a seed took too long, said on stderr.
#include "rr.h"
#include <getopt.h>
#include <pthread.h>

static char first_wrong[512];
static pthread_mutex_t wrong_mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int at_id;
static const char *_Atomic at_what = "start";
static uint64_t seed_now;

/** Where this rank is, for the message when the time is over. */
void rr_at(const char *what, int id)
{
    at_what = what;
    at_id = id;
}

/** Keeps the first difference of this rank. */
void rr_wrong(const struct rr_win *win, const struct rr_act *act, const char *fmt, ...)
{
    char text[320], where[64] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (act)
        snprintf(where, sizeof where, "action %d, ", act->id);
    pthread_mutex_lock(&wrong_mutex);
    if (!first_wrong[0])
        snprintf(first_wrong, sizeof first_wrong, "rank %d, %swindow %d (its rank %d): %s",
                 csp_test_rank, where, win->index, win->me, text);
    pthread_mutex_unlock(&wrong_mutex);
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

static void node_map(int *nodes)
{
    int mine = csp_test_node();
    MPI_Allgather(&mine, 1, MPI_INT, nodes, 1, MPI_INT, MPI_COMM_WORLD);
}

/** @return the sum of the digests of the windows that end here */
static uint64_t end_wins(struct rr_program *p, int phase)
{
    uint64_t digest = 0;
    for (int i = 0; i < p->nwins; i++) {
        struct rr_win *win = &p->wins[i];
        if (win->dies != phase || win->skipped)
            continue;
        rr_at("free of window", win->index);
        if (win->me >= 0) {
            rr_epoch_finish(win);
            digest += rr_digest(win) * (uint64_t)(i + 1);
        }
        rr_win_free(win);
    }
    return digest;
}

static uint64_t run_program(struct rr_program *p)
{
    uint64_t digest = 0, sum;
    for (int f = 0; f < p->nphases; f++) {
        for (int i = 0; i < p->nwins; i++) {
            p->wins[i].skipped = rr_skipped(p->wins[i].id);
            rr_at("making of window", i);
            if (p->wins[i].born == f && !p->wins[i].skipped)
                rr_win_make(&p->wins[i]);
        }
        rr_phase_run(&p->phases[f]);
        digest += end_wins(p, f);
    }
    MPI_Allreduce(&digest, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void list_ids(const struct rr_program *p)
{
    printf("ids %d\n", p->nids);
    for (int i = 0; i < p->nwins; i++)
        printf("id %d window -1\n", p->wins[i].id);
    for (int f = 0; f < p->nphases; f++)
        for (int r = 0; r < p->phases[f].nrounds; r++) {
            const struct rr_round *round = &p->phases[f].rounds[r];
            if (round->win)
                printf("id %d round %d\n", round->id, round->win->id);
            for (int i = 0; round->win && i < round->nacts; i++)
                printf("id %d action %d\n", round->acts[i].id, round->id);
        }
    rr_print(p);
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

static void run_seed(uint64_t seed, const int *nodes)
{
    seed_now = seed;
    first_wrong[0] = '\0';
    alarm((unsigned)rr_opts.limit_s);
    if (csp_test_rank == 0)
        printf("seed %llu begins\n", (unsigned long long)seed);
    fflush(stdout);
    struct rr_program *p = rr_plan(seed, csp_test_size, nodes, csp_test_rank);
    if (rr_opts.list) {
        if (csp_test_rank == 0)
            list_ids(p);
    } else {
        uint64_t digest = run_program(p);
        const char *wrong = agree_on_wrong();
        if (wrong[0])
            atomic_fetch_add(&csp_test_errors, 1);
        if (csp_test_rank == 0 && wrong[0])
            printf("seed %llu wrong: %s\n", (unsigned long long)seed, wrong);
        else if (csp_test_rank == 0)
            printf("seed %llu ok digest %016llx\n", (unsigned long long)seed,
                   (unsigned long long)digest);
    }
    fflush(stdout);
    rr_free_all();
}

/** "3,7-12" */
static void skip(const char *list)
{
    char *copy = strdup(list), *save = NULL;
    for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
        int low = 0, high = -1, n = sscanf(w, "%d-%d", &low, &high);
        high = n == 2 ? high : low;
        if (high >= rr_opts.nskip) {
            rr_opts.skip = realloc(rr_opts.skip, (size_t)high + 1);
            memset(rr_opts.skip + rr_opts.nskip, 0, (size_t)(high + 1 - rr_opts.nskip));
            rr_opts.nskip = high + 1;
        }
        memset(rr_opts.skip + low, 1, (size_t)(high - low + 1));
    }
    free(copy);
}

static void break_on_purpose(const char *what)
{
    rr_opts.drop_puts = strcmp(what, "puts") == 0;
    rr_opts.wrong_sums = strcmp(what, "sums") == 0;
    if (!rr_opts.drop_puts && !rr_opts.wrong_sums)
        exit(2);
}

static void parse(int argc, char **argv)
{
    static const struct option options[] = {{"seed", 1, NULL, 's'},   {"count", 1, NULL, 'c'},
                                            {"repeat", 1, NULL, 'r'}, {"phases", 1, NULL, 'p'},
                                            {"limit", 1, NULL, 'l'},  {"without", 1, NULL, 'w'},
                                            {"skip", 1, NULL, 'k'},   {"break", 1, NULL, 'b'},
                                            {"list", 0, NULL, 'L'},   {NULL, 0, NULL, 0}};
    rr_opts = (struct rr_options){.seed = 1, .count = 1, .repeat = 1, .phases = 8, .limit_s = 60};
    memset(rr_opts.feature, 1, sizeof rr_opts.feature);
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        if (c == 's')
            rr_opts.seed = strtoull(optarg, NULL, 10);
        else if (c == 'c')
            rr_opts.count = atoi(optarg);
        else if (c == 'r')
            rr_opts.repeat = atoi(optarg);
        else if (c == 'p')
            rr_opts.phases = atoi(optarg);
        else if (c == 'l')
            rr_opts.limit_s = atoi(optarg);
        else if (c == 'w')
            rr_disable(optarg);
        else if (c == 'k')
            skip(optarg);
        else if (c == 'b')
            break_on_purpose(optarg);
        else if (c == 'L')
            rr_opts.list = true;
        else
            exit(2);
}

int main(int argc, char **argv)
{
    int provided, nodes[RR_MAX_RANKS];
    parse(argc, argv);
    csp_test_init_thread(rr_has(RR_F_THREADS) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    signal(SIGALRM, on_alarm);
    rr_opts.threads = provided == MPI_THREAD_MULTIPLE;
    if (csp_test_size > RR_MAX_RANKS)
        csp_test_skip("too many ranks");
    node_map(nodes);
    for (int i = 0; i < rr_opts.count; i++)
        for (int r = 0; r < rr_opts.repeat; r++)
            run_seed(rr_opts.seed + (uint64_t)i, nodes);
    free(rr_opts.skip);
    return csp_test_done();
}
