// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Runs a program: phase by phase the steps of this rank, in each thread its own; then what is under way is completed.
#include "pr.h"
#include <pthread.h>

enum { BSEND_BYTES = 64 << 20 };

static void step(struct pr_thread *t, const struct pr_step *s)
{
    rnd_at("step of pool", s->pool->id);
    switch (s->kind) {
    case PR_S_SEND:
        pr_send(t, s->pair);
        break;
    case PR_S_RECV:
        pr_recv(t, s->pair);
        break;
    case PR_S_BOTH:
        pr_both(t, s->pool, s->pair);
        break;
    case PR_S_BARRIER:
        pr_barrier(s->pool);
        break;
    case PR_S_INIT:
        pr_persist_init(s->pool);
        break;
    case PR_S_START:
        pr_persist_start(t, s->pool, s->round);
        break;
    case PR_S_ROUND:
        pr_persist_round(t, s->pool, s->round);
        break;
    case PR_S_CANCEL:
        pr_cancel(t, s->pool);
        break;
    default:
        pr_extra(t, s->pool);
    }
}

static void end_passing(const struct pr_phase *phase)
{
    if (phase->passing && phase->passing->passing != MPI_COMM_NULL)
        MPI_Comm_free(&phase->passing->passing);
}

static void *run_thread(void *arg)
{
    struct pr_thread *t = arg;
    struct pr_step steps[PR_MAX_POOLS * 64];
    int n = pr_steps(t->phase, t->number, steps);
    for (int i = 0; i < n; i++)
        step(t, &steps[i]);
    for (int i = 0; i < t->nopen; i++)
        if (t->open[i].generalized)
            MPI_Grequest_complete(t->open[i].request);
    end_passing(t->phase);
    pr_complete(t, 0);
    pr_freed(t);
    return NULL;
}

static void begin_passing(const struct pr_phase *phase)
{
    struct pr_comm *c = phase->passing;
    if (!c || c->handle == MPI_COMM_NULL)
        return;
    MPI_Comm_dup(c->handle, &c->passing);
    MPI_Comm_set_errhandler(c->passing, MPI_ERRORS_RETURN);
}

static void end_phase(struct pr_phase *phase)
{
    if (phase->passing)
        phase->passing->passing = MPI_COMM_NULL;
    for (int i = 0; i < phase->npools; i++)
        if (phase->pools[i].kind == PR_PERSISTENT)
            pr_persist_free(&phase->pools[i]);
    rnd_at("end of phase", phase->id);
    if (phase->barrier)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void keep_buffers(struct pr_program *p, const struct pr_thread *t)
{
    for (int i = 0; i < t->nfreed; i++)
        if (t->freed[i].sent && p->nkept < PR_MAX_KEPT)
            p->kept[p->nkept++] = t->freed[i].out;
}

static uint64_t run_phase(struct pr_program *p, struct pr_phase *phase)
{
    struct pr_thread *threads = calloc(PR_MAX_THREADS, sizeof *threads);
    pthread_t ids[PR_MAX_THREADS];
    uint64_t digest = 0;
    if (!threads)
        abort();
    begin_passing(phase);
    for (int i = 0; i < phase->nthreads; i++) {
        threads[i].number = i;
        threads[i].program = p;
        threads[i].phase = phase;
        threads[i].rng.state =
            p->seed * 1000003 + (uint64_t)(phase->id * 16 + i) * 64 + (uint64_t)rnd_rank;
    }
    for (int i = 1; i < phase->nthreads; i++)
        pthread_create(&ids[i], NULL, run_thread, &threads[i]);
    run_thread(&threads[0]);
    for (int i = 1; i < phase->nthreads; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < phase->nthreads; i++) {
        digest += threads[i].digest;
        keep_buffers(p, &threads[i]);
    }
    end_phase(phase);
    free(threads);
    return digest;
}

uint64_t pr_run(struct pr_program *p)
{
    uint64_t digest = 0, sum;
    void *buffer = malloc(BSEND_BYTES);
    int bytes;
    MPI_Buffer_attach(buffer, BSEND_BYTES);
    pr_comms_make(p);
    pr_win_make(p);
    for (int f = 0; f < p->nphases; f++)
        if (!rnd_skipped(p->phases[f].id))
            digest += run_phase(p, &p->phases[f]);
    rnd_at("end of program", 0);
    MPI_Allreduce(&digest, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < p->nkept; i++)
        free(p->kept[i]);
    pr_win_free(p);
    pr_comms_free(p);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    pr_log_print();
    return sum;
}
