// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Get, compute, update: the pattern of many chemistry codes. Blocks of two matrices lie spread over
// the ranks. A shared counter hands out tasks; each task gets one block of A and one of B,
// multiplies them and adds the product to a block of C, wherever that is. Nobody knows who works on
// what, so the owners of the blocks and of the counter compute while others need their memory:
// without a ghost every one of those operations waits until the owner happens to call MPI.
//     mpicc -O2 tasks.c -o tasks        casper run -n 4 --virtual-nodes 2 --report ./tasks
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { GRID = 6, N = 64 }; // blocks in each direction, elements of a block in each direction
enum { BLOCK = N * N, TASKS = GRID * GRID * GRID };

struct matrix {
    MPI_Win win;
    double *mine; // blocks rank, rank + size, ... of this process
};

static int rank, size;

static int owner(int block)
{
    return block % size;
}

static MPI_Aint place(int block)
{
    return (MPI_Aint)(block / size) * BLOCK;
}

static struct matrix matrix_new(double value)
{
    const int count = (GRID * GRID + size - 1) / size * BLOCK;
    struct matrix m;
    MPI_Win_allocate((MPI_Aint)(count * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &m.mine, &m.win);
    for (int i = 0; i < count; i++)
        m.mine[i] = value;
    MPI_Win_lock_all(0, m.win); // for the whole life of the window
    return m;
}

static void matrix_free(struct matrix *m)
{
    MPI_Win_unlock_all(m->win);
    MPI_Win_free(&m->win);
}

static void block_get(struct matrix *m, int block, double *to)
{
    MPI_Get(to, BLOCK, MPI_DOUBLE, owner(block), place(block), BLOCK, MPI_DOUBLE, m->win);
    MPI_Win_flush(owner(block), m->win);
}

static void block_add(struct matrix *m, int block, const double *from)
{
    MPI_Accumulate(from, BLOCK, MPI_DOUBLE, owner(block), place(block), BLOCK, MPI_DOUBLE, MPI_SUM,
                   m->win);
    MPI_Win_flush(owner(block), m->win);
}

static long next_task(MPI_Win counter)
{
    const long one = 1;
    long task;
    MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, counter);
    MPI_Win_flush(0, counter);
    return task;
}

static void multiply(const double *a, const double *b, double *c)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++)
                sum += a[i * N + k] * b[k * N + j];
            c[i * N + j] = sum;
        }
}

static int work(struct matrix *a, struct matrix *b, struct matrix *c, MPI_Win counter)
{
    double x[BLOCK], y[BLOCK], z[BLOCK];
    int done = 0;
    for (long t = next_task(counter); t < TASKS; t = next_task(counter), done++) {
        const int i = (int)(t / (GRID * GRID)), j = (int)(t / GRID % GRID), k = (int)(t % GRID);
        block_get(a, i * GRID + k, x);
        block_get(b, k * GRID + j, y);
        multiply(x, y, z);
        block_add(c, i * GRID + j, z);
    }
    return done;
}

// All of A is 1 and all of B is 2, so every element of C must be 2 GRID N.
static int wrong_values(const struct matrix *c)
{
    int wrong = 0;
    for (int block = rank; block < GRID * GRID; block += size)
        for (int i = 0; i < BLOCK; i++)
            wrong += c->mine[place(block) + i] != 2.0 * GRID * N;
    return wrong;
}

int main(int argc, char **argv)
{
    long *count;
    MPI_Win counter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct matrix a = matrix_new(1.0), b = matrix_new(2.0), c = matrix_new(0.0);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &count, &counter);
    *count = 0;
    MPI_Win_lock_all(0, counter);
    MPI_Barrier(MPI_COMM_WORLD);

    const double start = MPI_Wtime();
    int done = work(&a, &b, &c, counter);
    MPI_Barrier(MPI_COMM_WORLD);
    const double elapsed = MPI_Wtime() - start;
    MPI_Win_sync(c.win);
    int total[2] = {done, wrong_values(&c)};
    MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d tasks on %d ranks in %.3f s, %d wrong values\n", total[0], size, elapsed,
               total[1]);

    MPI_Win_unlock_all(counter);
    MPI_Win_free(&counter);
    matrix_free(&c);
    matrix_free(&b);
    matrix_free(&a);
    MPI_Finalize();
    return total[1] == 0 && total[0] == TASKS ? 0 : 1;
}
