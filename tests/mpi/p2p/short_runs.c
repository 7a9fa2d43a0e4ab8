// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Data in short runs, that a ghost reads with what lies between them: where there is nothing between them too (a page
// that is not mapped), with strides up and down, and in more runs than are read at a time.
#include <sys/mman.h>
#include <unistd.h>
#include "../csp_test.h"

enum { RUN = 8, STEP = 32 };

static int next_rank, last_rank;

static char value(int rank, long i)
{
    return (char)(rank * 31 + i * 7 + i / 251);
}

// Sends elements of `type` from `buf`, whose packed bytes are `bytes` values of this rank.
static void exchange(const char *what, const void *buf, int count, MPI_Datatype type, long bytes)
{
    char *in = csp_test_malloc((size_t)bytes);
    MPI_Request r[2];
    MPI_Irecv(in, (int)bytes, MPI_CHAR, last_rank, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(buf, count, type, next_rank, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (long i = 0; i < bytes; i++)
        if (in[i] != value(last_rank, i)) {
            FAIL("%s: byte %ld is wrong", what, i);
            break;
        }
    free(in);
}

static void fill(char *first, long runs, long step)
{
    for (long i = 0; i < runs * RUN; i++)
        first[i / RUN * step + i % RUN] = value(csp_test_rank, i);
}

// Elements one after the other; with a negative step a single one.
static void strided(const char *what, int count, long runs, long step)
{
    long element = runs * labs(step);
    char *room = csp_test_malloc((size_t)(count * element));
    char *first = step > 0 ? room : room + element + step;
    MPI_Datatype one, type;
    MPI_Type_create_hvector((int)runs, RUN, step, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, element, &type);
    MPI_Type_commit(&type);
    fill(first, count * runs, step);
    exchange(what, first, count, type, count * runs * RUN);
    MPI_Type_free(&one);
    MPI_Type_free(&type);
    free(room);
}

// Runs on two pages, and no page between them.
static void with_a_hole(void)
{
    long page = sysconf(_SC_PAGESIZE), half = page / STEP * 2; // runs of a page
    char *room =
        mmap(NULL, (size_t)(3 * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Datatype one, type;
    munmap(room + page, (size_t)page);
    MPI_Type_create_hvector((int)half, RUN, STEP / 2, MPI_BYTE, &one);
    MPI_Type_create_hvector(2, 1, 2 * page, one, &type);
    MPI_Type_commit(&type);
    for (long i = 0; i < 2 * half * RUN; i++)
        room[i / RUN / half * 2 * page + i / RUN % half * (STEP / 2) + i % RUN] =
            value(csp_test_rank, i);
    exchange("a hole", room, 1, type, 2 * half * RUN);
    MPI_Type_free(&one);
    MPI_Type_free(&type);
    munmap(room, (size_t)page);
    munmap(room + 2 * page, (size_t)page);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    PHASE("short runs");
    for (long runs = 488; runs <= 500000; runs *= 8) {
        strided("upwards", 1, runs, STEP);
        strided("downwards", 1, runs, -STEP);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    strided("elements", 3, 40000, STEP); // each longer than what is read at a time
    with_a_hole();
    return csp_test_done();
}
