// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Buffers and the bytes of messages: each message has its own. What lies between elements, and around them, is
// poison and stays so.
#include "pr.h"

enum { GUARD = 64 };

MPI_Datatype pr_leaf(int extent)
{
    return extent == 8 ? MPI_DOUBLE : extent == 4 ? MPI_INT : extent == 2 ? MPI_SHORT : MPI_BYTE;
}

size_t pr_buffer_bytes(const struct rnd_side *side)
{
    return (size_t)(side->hi - side->lo) + 2 * GUARD;
}

unsigned char *pr_buffer(const struct rnd_side *side)
{
    return csp_test_malloc(pr_buffer_bytes(side));
}

/** What MPI gets. */
void *pr_address(unsigned char *buffer, const struct rnd_side *side)
{
    return buffer + GUARD - side->lo;
}

static unsigned char byte_of(const struct pr_message *m, size_t i)
{
    size_t own = (size_t)(m->from * 59 + m->to * 23 + m->number * 37 + m->tag);
    return (unsigned char)(own + i * 7 + (i >> 8) * 13 + (i >> 16) * 101);
}

static void put_element(const struct pr_pair *pair, int k, unsigned char *to)
{
    const size_t extent = (size_t)pair->pool->extent;
    for (size_t b = 0; b < extent; b++)
        to[b] = byte_of(&pair->m, (size_t)k * extent + b);
}

/** The first `n` elements of a message, laid out as `side` says. */
static void put(const struct pr_pair *pair, const struct rnd_side *side, int n,
                unsigned char *buffer)
{
    csp_test_poison(buffer, pr_buffer_bytes(side));
    for (int k = 0; k < n; k++)
        put_element(pair, k, buffer + GUARD + (side->at[k] - side->lo));
}

void pr_fill(const struct pr_pair *pair, unsigned char *buffer)
{
    put(pair, &pair->m.side, pair->m.n, buffer);
}

/** Whether it is as it was; then it is spoilt, so that nothing is sent from it any more. */
bool pr_check_sent(const struct pr_pair *pair, unsigned char *buffer)
{
    unsigned char *want = pr_buffer(&pair->m.side);
    pr_fill(pair, want);
    bool same = memcmp(want, buffer, pr_buffer_bytes(&pair->m.side)) == 0;
    memset(buffer, 0x3C, pr_buffer_bytes(&pair->m.side));
    free(want);
    return same;
}

/** All bytes, gaps too. Of a message that was cut off, nothing is known but where it may not be. */
bool pr_is_received(const struct pr_pair *wanted, const struct rnd_side *side,
                    const struct pr_pair *got, const unsigned char *buffer)
{
    const bool cut = got->m.n > wanted->r.n;
    const size_t extent = (size_t)wanted->pool->extent;
    unsigned char *want = pr_buffer(side);
    put(got, side, cut ? 0 : got->m.n, want);
    for (int k = 0; k < wanted->r.n && cut; k++) {
        size_t at = GUARD + (size_t)(side->at[k] - side->lo);
        memcpy(want + at, buffer + at, extent);
    }
    bool same = memcmp(want, buffer, pr_buffer_bytes(side)) == 0;
    free(want);
    return same;
}

static bool looks_like(const struct pr_pair *pair, const struct rnd_side *side, int n,
                       const unsigned char *buffer)
{
    unsigned char first[8];
    if (n == 0)
        return true;
    put_element(pair, 0, first);
    return memcmp(first, buffer + GUARD + (side->at[0] - side->lo), (size_t)pair->pool->extent) ==
           0;
}

/** The message of this pool that is in the buffer, by its envelope, size and first bytes. @return NULL: none */
struct pr_pair *pr_look_up(const struct pr_pair *wanted, const struct rnd_side *side,
                           const MPI_Status *status, const unsigned char *buffer)
{
    const struct pr_pool *pool = wanted->pool;
    int n = -1;
    MPI_Get_elements(status, pr_leaf(pool->extent), &n);
    for (int i = 0; i < pool->npairs; i++) {
        struct pr_pair *pair = &pool->pairs[i];
        const struct pr_message *m = &pair->m;
        if (!pair->taken && m->to == wanted->m.to && m->from == status->MPI_SOURCE &&
            m->tag == status->MPI_TAG && m->n == n && pr_pool_has(pool, pair) &&
            looks_like(pair, side, n, buffer))
            return pair;
    }
    return NULL;
}
