/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Casper developers
 *
 * ARMCI, vectors of segments: two lists of segments with different lengths, scattered at the target,
 * put, got and accumulated; what lies between them must stay. */
#include "area.h"

enum { SEGMENTS = 6, SHORT = 2, LONG = 5, SLOT = 16, N = 2 * SEGMENTS * SLOT, EMPTY = -1 };

static int **parts;

static int value(int origin, int list, int segment, int i)
{
    return 1000 * (origin + 1) + 100 * list + 10 * segment + i;
}

static int length(int list)
{
    return list ? LONG : SHORT;
}

/* The lists of segments of this rank's area at the owner, in a scattered order. */
static void describe(armci_giov_t lists[2], void *local[2][SEGMENTS], void *remote[2][SEGMENTS],
                     int *mine, int owner, int get)
{
    for (int l = 0; l < 2; l++) {
        for (int s = 0; s < SEGMENTS; s++) {
            local[l][s] = mine + (l * SEGMENTS + s) * LONG;
            remote[l][s] = parts[owner] + rank * N + (2 * (s * 5 % SEGMENTS) + l) * SLOT + 3;
        }
        lists[l].src_ptr_array = get ? remote[l] : local[l];
        lists[l].dst_ptr_array = get ? local[l] : remote[l];
        lists[l].bytes = length(l) * (int)sizeof(int);
        lists[l].ptr_array_len = SEGMENTS;
    }
}

static void fill(int *mine, int factor)
{
    for (int l = 0; l < 2; l++)
        for (int s = 0; s < SEGMENTS; s++)
            for (int i = 0; i < LONG; i++)
                mine[(l * SEGMENTS + s) * LONG + i] = factor * value(rank, l, s, i);
}

/* Put x, add 3 times 2x, get 7x. */
static void work_on(int owner)
{
    int mine[2 * SEGMENTS * LONG], three = 3;
    void *local[2][SEGMENTS], *remote[2][SEGMENTS];
    armci_giov_t lists[2];
    describe(lists, local, remote, mine, owner, 0);
    fill(mine, 1);
    ARMCI_PutV(lists, 2, owner);
    ARMCI_Fence(owner);
    fill(mine, 2);
    ARMCI_AccV(ARMCI_ACC_INT, &three, lists, 2, owner);
    ARMCI_Fence(owner);
    fill(mine, 0);
    describe(lists, local, remote, mine, owner, 1);
    ARMCI_GetV(lists, 2, owner);
    for (int l = 0; l < 2; l++)
        for (int s = 0; s < SEGMENTS; s++)
            for (int i = 0; i < length(l); i++)
                check_value("got", s, mine[(l * SEGMENTS + s) * LONG + i],
                            7 * value(rank, l, s, i));
}

/* What an element of an origin's area must be. */
static int wanted(int origin, int at)
{
    int list = at / SLOT % 2, i = at % SLOT - 3;
    if (i < 0 || i >= length(list))
        return EMPTY;
    int segment = 0;
    while (segment * 5 % SEGMENTS != at / (2 * SLOT))
        segment++;
    return 7 * value(origin, list, segment, i);
}

static void judge(void)
{
    ARMCI_Access_begin(parts[rank]);
    for (int i = 0; i < size * N; i++)
        check_value("element", i, parts[rank][i], wanted(i / N, i % N));
    ARMCI_Access_end(parts[rank]);
}

int main(int argc, char **argv)
{
    size_t bytes;
    parts = (int **)area_begin(&argc, &argv, N * sizeof(int), &bytes);
    area_fill((void **)parts, EMPTY, bytes);
    for (int k = 0; k < size; k++)
        work_on((rank + k) % size);
    ARMCI_Barrier();
    judge();
    return area_end((void **)parts);
}
