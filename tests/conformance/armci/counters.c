/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright the Casper developers
 *
 * ARMCI, shared counters by ARMCI_Rmw (each ticket drawn once, a swap hands each value on), and a total
 * that is updated by get and put under a mutex. */
#include "area.h"

enum {
    TICKETS = 40,
    TURNS = 12,
    INT_COUNTER = 0,
    LONG_COUNTER = 1,
    SWAPPED = 2,
    TOTAL = 3,
    WORDS = 4
};

static long **parts;

static long *word(int owner, int at)
{
    return parts[owner] + at;
}

/* Tickets of a counter at each rank: in all, every number once. */
static void draw(int owner)
{
    int *drawn = calloc((size_t)TICKETS * size, sizeof *drawn), step = 1, last = -1;
    for (int k = 0; k < TICKETS; k++) {
        int ticket = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &ticket, word(owner, INT_COUNTER), step, owner);
        check_value("ticket, it grows", k, ticket > last && ticket < TICKETS * size, 1);
        if (ticket >= 0 && ticket < TICKETS * size)
            drawn[ticket]++;
        last = ticket;
    }
    ARMCI_Barrier();
    MPI_Allreduce(MPI_IN_PLACE, drawn, TICKETS * size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < TICKETS * size; k++)
        check_value("draws of ticket", k, drawn[k], 1);
    free(drawn);
}

/* What everybody swapped in and what is left equals what was swapped out and what was there. */
static void swap(void)
{
    long in = 0, out = 0, sum;
    for (int k = 0; k < TICKETS; k++) {
        long value = (long)rank * TICKETS + k + 1, given = value, counted = -1;
        ARMCI_Rmw(ARMCI_SWAP_LONG, &given, word(0, SWAPPED), 0, 0);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &counted, word(0, LONG_COUNTER), 3, 0);
        check_value("long counter, multiple of 3", k, (double)(counted % 3), 0);
        in += value;
        out += given;
    }
    ARMCI_Barrier();
    sum = in - out;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check_value("swapped", 0, (double)ARMCI_GetValueLong(word(0, SWAPPED), 0), (double)sum);
    check_value("long counter", 0, (double)ARMCI_GetValueLong(word(0, LONG_COUNTER), 0),
                3.0 * TICKETS * size);
}

/* Two mutexes at each rank; the second protects the rank's total. */
static void under_mutex(int owner)
{
    for (int k = 0; k < TURNS; k++) {
        long total = -1;
        ARMCI_Lock(1, owner);
        ARMCI_Get(word(owner, TOTAL), &total, sizeof total, owner);
        total += rank + 1;
        ARMCI_Put(&total, word(owner, TOTAL), sizeof total, owner);
        ARMCI_Fence(owner);
        ARMCI_Unlock(1, owner);
    }
}

static void judge_totals(void)
{
    for (int owner = 0; owner < size; owner++)
        check_value("total", owner, (double)ARMCI_GetValueLong(word(owner, TOTAL), owner),
                    TURNS * size * (size + 1) / 2.0);
}

int main(int argc, char **argv)
{
    size_t bytes;
    parts = (long **)area_begin(&argc, &argv, WORDS * sizeof(long), &bytes);
    ARMCI_Create_mutexes(2);
    for (int owner = 0; owner < size; owner++)
        draw(owner);
    swap();
    for (int k = 0; k < size; k++)
        under_mutex((rank + k) % size);
    ARMCI_Barrier();
    judge_totals();
    ARMCI_Destroy_mutexes();
    return area_end((void **)parts);
}
