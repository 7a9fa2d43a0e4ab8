// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Get_count and MPI_Get_elements of receives, probes and matched probes: whole items of a type, parts of one, none.
#include "../csp_test.h"

enum { ITEM = 5, MOST = 60000 };

static const int sizes[] = {0, 1, 4, ITEM, 2 * ITEM, 1000, 1003, 6 * ITEM * ITEM * ITEM, MOST};
static double out[MOST], in[2 * MOST + 2 * ITEM];
static int next_rank, last_rank;
static MPI_Datatype spread; // ITEM doubles with gaps

static void expect(const MPI_Status *s, int n)
{
    int count = -1, elements = -1;
    MPI_Get_count(s, MPI_DOUBLE, &count);
    CHECK_INT(count, n);
    MPI_Get_count(s, spread, &count);
    CHECK_INT(count, n % ITEM ? MPI_UNDEFINED : n / ITEM);
    MPI_Get_elements(s, spread, &elements);
    CHECK_INT(elements, n);
    MPI_Get_count(s, MPI_BYTE, &count);
    CHECK_INT(count, n * (int)sizeof(double));
}

static void look(int n, int how)
{
    MPI_Request r, receive;
    MPI_Status s;
    MPI_Message message;
    int flag = 0;
    MPI_Isend(out, n, MPI_DOUBLE, next_rank, how, MPI_COMM_WORLD, &r);
    if (how == 1) {
        MPI_Probe(last_rank, how, MPI_COMM_WORLD, &s);
        expect(&s, n);
    }
    if (how == 2) {
        MPI_Mprobe(last_rank, how, MPI_COMM_WORLD, &message, &s);
        expect(&s, n);
        MPI_Imrecv(in, MOST / ITEM, spread, &message, &receive);
    } else {
        MPI_Irecv(in, MOST / ITEM, spread, last_rank, how, MPI_COMM_WORLD, &receive);
    }
    while (!flag && how == 3)
        MPI_Request_get_status(receive, &flag, &s);
    if (how == 3)
        expect(&s, n);
    MPI_Wait(&receive, &s);
    expect(&s, n);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Type_vector(ITEM, 1, 2, MPI_DOUBLE, &spread);
    MPI_Type_commit(&spread);
    PHASE("counts");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int how = 0; how < 4; how++)
            look(sizes[i], how);
    MPI_Type_free(&spread);
    return csp_test_done();
}
