// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Random numbers, and memory that lives as long as the program of one seed. Generation is done by
// one thread.
#include "rnd.h"

uint64_t rnd_next(struct rnd_rng *rng) // splitmix64
{
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** @return from 0 to n-1 */
int rnd_pick(struct rnd_rng *rng, int n)
{
    return n <= 1 ? (rnd_next(rng), 0) : (int)(rnd_next(rng) % (uint64_t)n);
}

int rnd_between(struct rnd_rng *rng, int low, int high)
{
    return low + rnd_pick(rng, high - low + 1);
}

bool rnd_chance(struct rnd_rng *rng, int percent)
{
    return rnd_pick(rng, 100) < percent;
}

static struct block {
    struct block *next;
    max_align_t data[];
} *blocks;

void *rnd_alloc(size_t bytes)
{
    struct block *b = calloc(1, sizeof *b + bytes);
    if (!b)
        abort();
    b->next = blocks;
    blocks = b;
    return b->data;
}

void rnd_free_all(void)
{
    while (blocks) {
        struct block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}
