// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Random numbers, and memory that lives as long as the program of one seed. Generation is done by
// one thread.
#include "rr.h"

uint64_t rr_next(struct rr_rng *rng) // splitmix64
{
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** @return from 0 to n-1 */
int rr_pick(struct rr_rng *rng, int n)
{
    return n <= 1 ? (rr_next(rng), 0) : (int)(rr_next(rng) % (uint64_t)n);
}

int rr_between(struct rr_rng *rng, int low, int high)
{
    return low + rr_pick(rng, high - low + 1);
}

bool rr_chance(struct rr_rng *rng, int percent)
{
    return rr_pick(rng, 100) < percent;
}

static struct block {
    struct block *next;
    max_align_t data[];
} *blocks;

void *rr_alloc(size_t bytes)
{
    struct block *b = calloc(1, sizeof *b + bytes);
    if (!b)
        abort();
    b->next = blocks;
    blocks = b;
    return b->data;
}

void rr_free_all(void)
{
    while (blocks) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}
