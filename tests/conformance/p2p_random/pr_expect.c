// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who gets what where the timing does not matter: receives that name their source (MPI-4.1 3.5).
#include "pr.h"

static bool takes(const struct pr_receive *r, const struct pr_message *m)
{
    return r->source == m->from && (r->tag == MPI_ANY_TAG || r->tag == m->tag);
}

static struct pr_pair *next_receive(struct pr_pool *pool, const struct pr_pair *after)
{
    struct pr_pair *next = NULL;
    for (int i = 0; i < pool->npairs; i++) {
        struct pr_pair *pair = &pool->pairs[i];
        bool later = !after || pair->r.time > after->r.time;
        if (pr_pool_has(pool, pair) && later && (!next || pair->r.time < next->r.time))
            next = pair;
    }
    return next;
}

/** Each receive, in their order, takes the first message that is left. @return false: one has none */
static bool serial(struct pr_pool *pool)
{
    for (int i = 0; i < pool->npairs; i++)
        pool->pairs[i].taken = false;
    for (struct pr_pair *r = next_receive(pool, NULL); r; r = next_receive(pool, r)) {
        r->r.expected = NULL;
        for (int i = 0; i < pool->npairs && !r->r.expected; i++) {
            struct pr_pair *m = &pool->pairs[i];
            if (pr_pool_has(pool, m) && !m->taken && takes(&r->r, &m->m)) {
                m->taken = true;
                r->r.expected = m;
            }
        }
        if (!r->r.expected)
            return false;
    }
    return true;
}

/** Where a receive would have no message, all of the pool take any tag. */
void pr_expect(struct pr_pool *pool)
{
    if (pool->kind != PR_EXACT && pool->kind != PR_TAGS)
        return;
    if (!serial(pool)) {
        for (int i = 0; i < pool->npairs; i++)
            pool->pairs[i].r.tag = MPI_ANY_TAG;
        (void)serial(pool);
    }
    for (int i = 0; i < pool->npairs; i++)
        pool->pairs[i].taken = false;
}
