// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One array of requests of sends, receives, nonblocking file operations and a nonblocking collective is completed by calls of
// each kind (but MPI_Testall, in which MPICH takes file operations for failed).
#include "../csp_test.h"

enum { N = 1000, REQS = 5 };

struct state {
    int out[N], in[N], written[N], read[N];
    MPI_Request r[REQS];
};

// Where this process's blocks are in the file: 0 is written, 1 read.
static MPI_Offset block(int which)
{
    return (MPI_Offset)(csp_test_rank * 2 + which) * N * (MPI_Offset)sizeof(int);
}

static void begin(struct state *s, MPI_File file, int round)
{
    int right = (csp_test_rank + 1) % csp_test_size;
    int left = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    csp_test_poison(s->in, sizeof s->in);
    csp_test_poison(s->read, sizeof s->read);
    for (int i = 0; i < N; i++) {
        s->out[i] = csp_test_rank * N + i + round;
        s->written[i] = -s->out[i];
    }
    MPI_Irecv(s->in, N, MPI_INT, left, 1, MPI_COMM_WORLD, &s->r[0]);
    MPI_File_iwrite_at(file, block(0), s->written, N, MPI_INT, &s->r[1]);
    MPI_Ibarrier(MPI_COMM_WORLD, &s->r[2]);
    MPI_Isend(s->out, N, MPI_INT, right, 1, MPI_COMM_WORLD, &s->r[3]);
    MPI_File_iread_at(file, block(1), s->read, N, MPI_INT, &s->r[4]);
}

static void complete(struct state *s, int how)
{
    int done = 0, index, count, indices[REQS];
    if (how == 0)
        MPI_Waitall(REQS, s->r, MPI_STATUSES_IGNORE);
    while (how == 1 && done < REQS) {
        MPI_Waitsome(REQS, s->r, &count, indices, MPI_STATUSES_IGNORE);
        CHECK(count != MPI_UNDEFINED);
        done += count;
    }
    while (how == 2 && done < REQS) {
        MPI_Waitany(REQS, s->r, &index, MPI_STATUS_IGNORE);
        CHECK(index != MPI_UNDEFINED);
        done++;
    }
    while (how == 3 && done < REQS) {
        MPI_Testsome(REQS, s->r, &count, indices, MPI_STATUSES_IGNORE);
        CHECK(count != MPI_UNDEFINED);
        done += count;
    }
    for (int i = 0; i < REQS; i++)
        CHECK(s->r[i] == MPI_REQUEST_NULL);
}

static void check(const struct state *s, int round, MPI_File file)
{
    int left = (csp_test_rank + csp_test_size - 1) % csp_test_size, back[N];
    MPI_File_read_at(file, block(0), back, N, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++) {
        CHECK_INT(s->in[i], left * N + i + round);
        CHECK_INT(s->read[i], i);
        CHECK_INT(back[i], s->written[i]);
    }
}

int main(void)
{
    static struct state s;
    char name[64];
    MPI_File file;
    csp_test_init();
    snprintf(name, sizeof name, "mixed_io.%d", csp_test_rank); // nodes need not share a file system
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    for (int i = 0; i < N; i++)
        s.read[i] = i;
    MPI_File_write_at(file, block(1), s.read, N, MPI_INT, MPI_STATUS_IGNORE);
    for (int how = 0; how < 4; how++) {
        begin(&s, file, how);
        complete(&s, how);
        check(&s, how, file);
    }
    MPI_File_close(&file);
    return csp_test_done();
}
