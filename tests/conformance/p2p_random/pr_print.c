// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The ids of a program, and what is not skipped in words.
#include "pr.h"

static const char *const kinds[PR_POOL_KINDS] = {"exact receives",
                                                 "tags or any",
                                                 "sources or any",
                                                 "any receives",
                                                 "persistent",
                                                 "send and receive",
                                                 "cancelled receive",
                                                 "nobody",
                                                 "native request",
                                                 "collective",
                                                 "accumulate",
                                                 "sleep",
                                                 "look"};
static const char *const modes[PR_MODES] = {"", " sync", " buffered", " ready"};
static const char *const ways[PR_WAYS] = {"later",        "at once",      "after probe",
                                          "after iprobe", "after mprobe", "after improbe"};
static const char *const orders[PR_ORDERS] = {"mixed", "receives first", "sends first", "together"};
static const char *const rings[PR_RINGS] = {"MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Isendrecv",
                                            "MPI_Isendrecv_replace"};

static void print_comm(const struct pr_comm *c)
{
    static const char *const names[] = {"world", "dup", "permuted", "split", "create"};
    printf("      communicator %d: %s, world ranks", c->index, names[c->kind]);
    for (int i = 0; i < c->size; i++)
        printf(" %d", c->members[i]);
    printf("\n");
}

static void print_name(int value, int any)
{
    if (value == any)
        printf(" any");
    else
        printf(" %d", value);
}

static void print_pair(const struct pr_pair *pair)
{
    const struct pr_message *m = &pair->m;
    const struct pr_receive *r = &pair->r;
    char text[1024];
    rnd_side_print(&m->side, text, sizeof text);
    printf("%4d      %d to %d tag %d: %d x %d bytes%s%s%s%s, as %s; at %.3f", pair->id, m->from,
           m->to, m->tag, m->n, pair->pool->extent, modes[m->mode], m->blocking ? " blocking" : "",
           m->freed ? " freed" : "", m->count_c ? " by _c" : "", text, m->time);
    rnd_side_print(&r->side, text, sizeof text);
    printf("; received %s", ways[r->way]);
    print_name(r->source, MPI_ANY_SOURCE);
    print_name(r->tag, MPI_ANY_TAG);
    printf("%s%s%s, room for %d, as %s; at %.3f\n", r->freed ? " freed" : "",
           r->nonblocking ? " (nonblocking)" : "", r->count_c ? " by _c" : "", r->n, text, r->time);
}

static void print_pool(const struct pr_pool *pool)
{
    printf("%4d    %s, communicator %d", pool->id, kinds[pool->kind], pool->comm->index);
    if (pool->kind < PR_PERSISTENT)
        printf(", %s%s", orders[pool->order], pool->ready ? ", barrier between" : "");
    else if (pool->kind == PR_PERSISTENT)
        printf(", %d rounds", pool->nrounds);
    else if (pool->kind == PR_RING)
        printf(" by %s", rings[pool->ring]);
    else
        printf(", rank %d at %.3f", pool->to, pool->time);
    printf(", thread %d\n", pool->thread);
    for (int i = 0; i < pool->npairs; i++)
        if (pool->pairs[i].round == 0 && pr_pool_has(pool, &pool->pairs[i]))
            print_pair(&pool->pairs[i]);
}

static void list_pool(const struct pr_phase *phase, const struct pr_pool *pool)
{
    printf("id %d pool %d\n", pool->id, phase->id);
    for (int i = 0; i < pool->npairs && pool->kind != PR_RING; i++)
        if (pool->pairs[i].round == 0)
            printf("id %d message %d\n", pool->pairs[i].id, pool->id);
}

void pr_list(const struct pr_program *p)
{
    printf("ids %d\n", p->nids);
    for (int f = 0; f < p->nphases; f++) {
        printf("id %d phase -1\n", p->phases[f].id);
        for (int i = 0; i < p->phases[f].npools; i++)
            list_pool(&p->phases[f], &p->phases[f].pools[i]);
    }
    for (int i = 0; i < p->ncomms; i++)
        print_comm(&p->comms[i]);
    for (int f = 0; f < p->nphases; f++) {
        const struct pr_phase *phase = &p->phases[f];
        if (rnd_skipped(phase->id))
            continue;
        printf("%4d  phase: %d threads%s%s\n", phase->id, phase->nthreads,
               phase->barrier ? ", barrier" : "",
               phase->passing ? ", a communicator is freed" : "");
        for (int i = 0; i < phase->npools; i++)
            if (!rnd_skipped(phase->pools[i].id))
                print_pool(&phase->pools[i]);
    }
}
