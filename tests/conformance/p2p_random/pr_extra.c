// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What a program does besides: messages to nobody, requests and calls of the library's, RMA, computing.
#include "pr.h"

enum { WIN_BYTES = 64 }; // MPICH 4.0 lets parts of odd sizes overlap

void pr_barrier(const struct pr_pool *pool)
{
    pr_check_code(pool, NULL, MPI_Barrier(pr_comm_of(pool)), "barrier");
}

static void check_nobody(const struct pr_pool *pool, const MPI_Status *status)
{
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    if (status->MPI_SOURCE != MPI_PROC_NULL || count != 0)
        pr_wrong(pool, NULL, "status of MPI_PROC_NULL: source %d, %d elements", status->MPI_SOURCE,
                 count);
}

static void nobody(struct pr_thread *t, struct pr_pool *pool)
{
    MPI_Comm comm = pr_comm_of(pool);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status;
    int x = 1, y = 2;
    switch (pool->seed % 5) {
    case 0:
        MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, pool->tag, comm);
        MPI_Recv(&y, 1, MPI_INT, MPI_PROC_NULL, pool->tag, comm, &status);
        break;
    case 1:
        MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, pool->tag, comm, &request);
        pr_open_add(t, request);
        MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, comm, &status);
        break;
    case 2:
        MPI_Mprobe(MPI_PROC_NULL, MPI_ANY_TAG, comm, &message, &status);
        MPI_Mrecv(&y, 1, MPI_INT, &message, &status);
        break;
    case 3:
        MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, pool->tag, &y, 1, MPI_INT, MPI_PROC_NULL,
                     pool->tag, comm, &status);
        break;
    default:
        MPI_Irecv(&y, 1, MPI_INT, MPI_PROC_NULL, pool->tag, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    check_nobody(pool, &status);
    if (y != 2)
        pr_wrong(pool, NULL, "MPI_PROC_NULL sent something");
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int over(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancelled(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void native(struct pr_thread *t, struct pr_pool *pool)
{
    MPI_Comm comm = pr_comm_of(pool);
    MPI_Request request;
    struct pr_open *open;
    int *value = NULL;
    if (pool->seed % 3 == 0) {
        MPI_Ibarrier(comm, &request);
    } else if (pool->seed % 3 == 1) {
        value = csp_test_malloc(2 * sizeof(int));
        value[1] = pool->comm->me;
        MPI_Iallreduce(&value[1], &value[0], 1, MPI_INT, MPI_SUM, comm, &request);
    } else {
        MPI_Grequest_start(query, over, cancelled, NULL, &request);
    }
    open = pr_open_add(t, request);
    open->value = value;
    open->want = pool->comm->size * (pool->comm->size - 1) / 2;
    open->generalized = pool->seed % 3 == 2;
}

static void collective(struct pr_pool *pool)
{
    int mine = pool->comm->me, all = -1;
    pr_check_code(pool, NULL, MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, pr_comm_of(pool)),
                  "collective");
    if (all != pool->comm->size - 1)
        pr_wrong(pool, NULL, "the result of MPI_Allreduce is %d", all);
}

static void add(struct pr_program *p, const struct pr_pool *pool)
{
    const int one = 1, target = pool->seed % rnd_ranks;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, p->win);
    MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, p->win);
    MPI_Win_unlock(target, p->win);
    p->adds[target]++;
}

void pr_extra(struct pr_thread *t, struct pr_pool *pool)
{
    rnd_at("extra of pool", pool->id);
    if (pool->kind == PR_NOBODY)
        nobody(t, pool);
    else if (pool->kind == PR_NATIVE)
        native(t, pool);
    else if (pool->kind == PR_COLLECTIVE)
        collective(pool);
    else if (pool->kind == PR_RMA)
        add(t->program, pool);
    else if (pool->kind == PR_SLEEP)
        usleep((useconds_t)(pool->seed % 5000));
    else
        pr_poke(t);
}

static bool has_rma(const struct pr_program *p)
{
    for (int f = 0; f < p->nphases; f++)
        for (int i = 0; i < p->phases[f].npools; i++)
            if (p->phases[f].pools[i].kind == PR_RMA)
                return true;
    return false;
}

void pr_win_make(struct pr_program *p)
{
    p->win = MPI_WIN_NULL;
    if (!has_rma(p))
        return;
    MPI_Win_allocate(WIN_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &p->sum, &p->win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rnd_rank, 0, p->win);
    *p->sum = 0;
    MPI_Win_unlock(rnd_rank, p->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

void pr_win_free(struct pr_program *p)
{
    int want[RND_MAX_RANKS];
    if (p->win == MPI_WIN_NULL)
        return;
    MPI_Allreduce(p->adds, want, rnd_ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rnd_rank, 0, p->win);
    if (*p->sum != want[rnd_rank])
        rnd_wrong("the sum of the accumulates is wrong");
    MPI_Win_unlock(rnd_rank, p->win);
    MPI_Win_free(&p->win);
}
