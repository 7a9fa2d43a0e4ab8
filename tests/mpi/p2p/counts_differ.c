// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Receives of more than is sent: the two sides are on different sides of every size at which messages take another
// way. The receive is posted before or after, the send waits or not.
#include "../csp_test.h"

static const int sizes[] = {0,     1,     256,   257,    3904,   3905,   16384,
                            16385, 65536, 65537, 262144, 262145, 1048577};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int next_rank, last_rank;

static void exchange(int sent, int room, int late, int sync)
{
    char *out = csp_test_malloc((size_t)sent), *in = csp_test_malloc((size_t)room);
    MPI_Request r[2];
    MPI_Status s[2];
    int count = -1;
    memset(out, csp_test_rank + 1, (size_t)sent);
    for (int step = 0; step < 2; step++)
        if (step == late)
            MPI_Irecv(in, room, MPI_CHAR, last_rank, 1, MPI_COMM_WORLD, &r[0]);
        else if (sync)
            MPI_Issend(out, sent, MPI_CHAR, next_rank, 1, MPI_COMM_WORLD, &r[1]);
        else
            MPI_Isend(out, sent, MPI_CHAR, next_rank, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, s);
    MPI_Get_count(&s[0], MPI_CHAR, &count);
    CHECK_INT(count, sent);
    for (int i = 0; i < sent; i++)
        if (in[i] != last_rank + 1) {
            FAIL("%d bytes into %d: byte %d is wrong", sent, room, i);
            break;
        }
    CHECK_MSG(csp_test_is_poison(in + sent, (size_t)(room - sent)),
              "%d bytes into %d: written beyond the message", sent, room);
    free(out);
    free(in);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    PHASE("counts differ");
    for (int i = 0; i < SIZES; i++)
        for (int j = i; j < SIZES; j++)
            for (int how = 0; how < 8; how++) {
                exchange(sizes[i], sizes[j], how / 2 % 2, how % 2);
                if (how % 4 == 3) // with CSP_P2P=auto the messages go another way from here on
                    MPI_Barrier(MPI_COMM_WORLD);
            }
    return csp_test_done();
}
