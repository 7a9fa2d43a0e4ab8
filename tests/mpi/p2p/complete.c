// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The completion family, with requests of receives, sends, collectives and null ones in one array; persistent
// requests; cancel; free; status without completion.
#include "p2p_await.h"

enum { LARGE = 50000 };

static int next_rank, last_rank;

static void any_and_some(void)
{
    int in[3] = {-1, -1, -1}, out[3] = {10, 11, 12}, index, flag, count, indices[6], seen = 0;
    MPI_Request r[6];
    MPI_Status s[6];
    PHASE("any and some");
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, last_rank, i, MPI_COMM_WORLD, &r[i]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[3]);
    r[4] = MPI_REQUEST_NULL;
    MPI_Testany(3, r, &index, &flag, s);
    CHECK_INT(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&out[1], 1, MPI_INT, next_rank, 1, MPI_COMM_WORLD, &r[5]);
    for (int i = 0; i < 3; i++) { // the barrier, the send and one receive
        MPI_Waitany(6, r, &index, s);
        CHECK(index == 1 || index == 3 || index == 5);
        CHECK_INT(r[index] == MPI_REQUEST_NULL, 1);
        if (index == 1)
            CHECK_INT(s[0].MPI_TAG, 1);
    }
    CHECK_INT(in[1], 11);
    MPI_Testany(6, r, &index, &flag, s);
    CHECK_INT(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&out[0], 1, MPI_INT, next_rank, 0, MPI_COMM_WORLD);
    MPI_Send(&out[2], 1, MPI_INT, next_rank, 2, MPI_COMM_WORLD);
    while (seen < 2) {
        MPI_Waitsome(6, r, &count, indices, s);
        CHECK(count >= 1 && count <= 2);
        for (int i = 0; i < count; i++)
            CHECK_INT(s[i].MPI_TAG, indices[i]);
        seen += count;
    }
    CHECK_INT(in[0], 10);
    CHECK_INT(in[2], 12);
    MPI_Waitsome(6, r, &count, indices, s);
    CHECK_INT(count, MPI_UNDEFINED);
    MPI_Waitany(6, r, &index, s);
    CHECK_INT(index, MPI_UNDEFINED);
}

static void all(void)
{
    static char in[LARGE], out[LARGE];
    MPI_Request r[4] = {MPI_REQUEST_NULL};
    MPI_Status s[4];
    int flag = 1;
    PHASE("all");
    MPI_Irecv(in, LARGE, MPI_CHAR, last_rank, 3, MPI_COMM_WORLD, &r[1]);
    MPI_Testall(4 - 2, r, &flag, s);
    CHECK_INT(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(out, 7, LARGE);
    MPI_Isend(out, LARGE, MPI_CHAR, next_rank, 3, MPI_COMM_WORLD, &r[2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[3]);
    for (flag = 0; !flag;)
        MPI_Testall(4, r, &flag, s);
    CHECK_INT(in[LARGE - 1], 7);
    CHECK_INT(s[1].MPI_SOURCE, last_rank);
    for (int i = 0; i < 4; i++)
        CHECK(r[i] == MPI_REQUEST_NULL);
}

// Statuses of places without a request, and of an array that holds no request of the library's.
static void empties(void)
{
    int in = -1;
    MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status s[3];
    PHASE("empties");
    memset(s, 0, sizeof(s));
    MPI_Irecv(&in, 1, MPI_INT, last_rank, 7, MPI_COMM_WORLD, &r[1]);
    MPI_Send(&csp_test_rank, 1, MPI_INT, next_rank, 7, MPI_COMM_WORLD);
    MPI_Waitall(3, r, s);
    CHECK_INT(in, last_rank);
    CHECK_INT(s[1].MPI_SOURCE, last_rank);
    CHECK_INT(s[0].MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_INT(s[2].MPI_TAG, MPI_ANY_TAG);
}

// MPI-4.1 3.7.6: looks at several requests that stay.
static void looks(void)
{
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    int in[2] = {-1, -1}, flag = 1, index, count, indices[4];
    MPI_Request r[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status s[4];
    PHASE("looks");
    MPI_Irecv(&in[0], 1, MPI_INT, last_rank, 8, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, last_rank, 9, MPI_COMM_WORLD, &r[2]);
    MPI_Request_get_status_any(4, r, &index, &flag, s);
    CHECK_INT(flag, 0);
    MPI_Request_get_status_some(4, r, &count, indices, s);
    CHECK_INT(count, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&csp_test_rank, 1, MPI_INT, next_rank, 9, MPI_COMM_WORLD);
    for (flag = 0; !flag;)
        MPI_Request_get_status_any(4, r, &index, &flag, s);
    CHECK_INT(index, 2);
    CHECK_INT(s[0].MPI_TAG, 9);
    MPI_Request_get_status_some(4, r, &count, indices, s);
    CHECK_INT(count, 1);
    CHECK_INT(indices[0], 2);
    MPI_Request_get_status_all(4, r, &flag, s);
    CHECK_INT(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&csp_test_rank, 1, MPI_INT, next_rank, 8, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[3]);
    while (!flag)
        MPI_Request_get_status_all(4, r, &flag, s);
    CHECK_INT(s[0].MPI_TAG, 8);
    CHECK_INT(s[1].MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_INT(s[2].MPI_SOURCE, last_rank);
    CHECK(r[0] != MPI_REQUEST_NULL && r[2] != MPI_REQUEST_NULL && r[3] != MPI_REQUEST_NULL);
    MPI_Waitall(4, r, s);
    CHECK_INT(in[0], last_rank);
    CHECK_INT(in[1], last_rank);
    MPI_Request_get_status_any(4, r, &index, &flag, s);
    CHECK_INT(flag, 1);
    CHECK_INT(index, MPI_UNDEFINED);
#endif
}

static void persistent(void)
{
    int in = -1, out = 0, flag = 0;
    MPI_Request r[2];
    MPI_Status s[2];
    MPI_Datatype pair;
    PHASE("persistent");
    MPI_Type_contiguous(1, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Recv_init(&in, 1, pair, last_rank, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Send_init(&out, 1, pair, next_rank, 4, MPI_COMM_WORLD, &r[1]);
    MPI_Type_free(&pair); // the requests keep it
    MPI_Waitall(2, r, s); // inactive
    MPI_Test(&r[0], &flag, s);
    CHECK_INT(flag, 1);
    for (out = 20; out < 30; out++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, s);
        CHECK_INT(in, out);
        CHECK(r[0] != MPI_REQUEST_NULL);
    }
    MPI_Start(&r[0]);
    MPI_Start(&r[1]);
    MPI_Wait(&r[1], s);
    MPI_Wait(&r[0], s);
    CHECK_INT(s[0].MPI_TAG, 4);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    CHECK(r[0] == MPI_REQUEST_NULL);
}

// Inactive requests of ghosts and of the library in one array count for nothing.
static void check_none_active(int n, MPI_Request *r)
{
    int index = 0, flag = 0, count = 0, indices[2];
    MPI_Status s[2];
    MPI_Waitsome(n, r, &count, indices, s);
    CHECK_INT(count, MPI_UNDEFINED);
    MPI_Testsome(n, r, &count, indices, s);
    CHECK_INT(count, MPI_UNDEFINED);
    MPI_Waitany(n, r, &index, s);
    CHECK_INT(index, MPI_UNDEFINED);
    MPI_Testany(n, r, &index, &flag, s);
    CHECK_INT(index, MPI_UNDEFINED);
    CHECK_INT(flag, 1);
    MPI_Waitall(n, r, s);
    CHECK_INT(s[0].MPI_SOURCE, MPI_ANY_SOURCE);
    MPI_Testall(n, r, &flag, s);
    CHECK_INT(flag, 1);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    MPI_Request_get_status_some(n, r, &count, indices, s);
    CHECK_INT(count, MPI_UNDEFINED);
    MPI_Request_get_status_any(n, r, &index, &flag, s);
    CHECK_INT(index, MPI_UNDEFINED);
    CHECK_INT(flag, 1);
    MPI_Request_get_status_all(n, r, &flag, s);
    CHECK_INT(flag, 1);
#endif
}

// A communicator of two halves: its messages are always the MPI library's.
static MPI_Comm halves(void)
{
    MPI_Comm half, both;
    const int size = csp_test_size / 2, upper = csp_test_rank >= size;
    MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size, 13, &both);
    MPI_Comm_free(&half);
    return both;
}

static void inactive(void)
{
    int in[2] = {-1, -1}, index = -1, count = 0, indices[2], seen = 0;
    MPI_Request r[2];
    MPI_Status s[2];
    PHASE("inactive");
    MPI_Comm both = halves();
    const int peer = csp_test_rank % (csp_test_size / 2);
    MPI_Recv_init(&in[0], 1, MPI_INT, last_rank, 14, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&in[1], 1, MPI_INT, peer, 14, both, &r[1]);
    check_none_active(2, r);
    MPI_Startall(2, r);
    MPI_Send(&csp_test_rank, 1, MPI_INT, next_rank, 14, MPI_COMM_WORLD);
    MPI_Send(&csp_test_rank, 1, MPI_INT, peer, 14, both);
    for (;;) {
        MPI_Waitsome(2, r, &count, indices, s);
        if (count == MPI_UNDEFINED)
            break;
        seen += count;
    }
    CHECK_INT(seen, 2);
    CHECK_INT(in[0], last_rank);
    CHECK_INT(in[1], (csp_test_rank + csp_test_size / 2) % csp_test_size);
    MPI_Start(&r[0]);
    MPI_Send(&csp_test_rank, 1, MPI_INT, next_rank, 14, MPI_COMM_WORLD);
    MPI_Waitany(2, r, &index, s);
    CHECK_INT(index, 0);
    check_none_active(2, r);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Comm_free(&both);
}

// MPI_ERROR of those that came without an error stays as it was, or says so.
static void error_field(void)
{
    enum { UNTOUCHED = 12345 };
    int in[2] = {-1, -1}, count, indices[2], seen = 0;
    MPI_Request r[2];
    MPI_Status s[2];
    PHASE("MPI_ERROR");
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 20 + i, MPI_COMM_WORLD, &r[i]);
    for (int i = 0; i < 2; i++)
        MPI_Send(&csp_test_rank, 1, MPI_INT, next_rank, 20 + i, MPI_COMM_WORLD);
    while (seen < 2) {
        s[0].MPI_ERROR = s[1].MPI_ERROR = UNTOUCHED;
        MPI_Waitsome(2, r, &count, indices, s);
        for (int i = 0; i < count; i++)
            CHECK(s[i].MPI_ERROR == UNTOUCHED || s[i].MPI_ERROR == MPI_SUCCESS);
        seen += count;
    }
    MPI_Barrier(MPI_COMM_WORLD); // wildcards of the next turn
}

// What says that a receive is over, of those that leave the request.
enum { BY_ONE, BY_ANY, BY_SOME, BY_ALL, WAYS };

static int is_over(int way, MPI_Request *r)
{
    int flag = 0, index = 0;
    MPI_Status s;
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    if (way == BY_ANY)
        MPI_Request_get_status_any(1, r, &index, &flag, &s);
    else if (way == BY_SOME)
        MPI_Request_get_status_some(1, r, &flag, &index, &s);
    else if (way == BY_ALL)
        MPI_Request_get_status_all(1, r, &flag, &s);
    else
#endif
        MPI_Request_get_status(*r, &flag, &s);
    CHECK(!flag || index == 0);
    (void)way;
    return flag;
}

// The data are there with the status, and the buffer is the program's from then on.
static void seen_over(int way, int bytes, int block)
{
    static char in[2 * LARGE], out[LARGE];
    MPI_Request r;
    MPI_Datatype type;
    const int last = (bytes / block - 1) * 2 * block + block - 1;
    PHASE("seen over");
    memset(in, 0, sizeof(in));
    memset(out, 5, LARGE);
    MPI_Type_vector(bytes / block, block, 2 * block, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(in, 1, type, last_rank, 19, MPI_COMM_WORLD, &r);
    MPI_Type_free(&type);
    MPI_Send(out, bytes, MPI_CHAR, next_rank, 19, MPI_COMM_WORLD);
    while (!is_over(way, &r))
        ;
    CHECK_MSG(in[0] == 5 && in[last] == 5, "%d bytes, blocks of %d, are not there", bytes, block);
    memset(in, 6, sizeof(in));
    CHECK(is_over(way, &r));
    if (way == BY_SOME)
        MPI_Request_free(&r);
    else
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK_MSG(in[0] == 6 && in[last] == 6, "%d bytes, blocks of %d, came twice", bytes, block);
}

static void cancel(void)
{
    int in = -1, cancelled = 0, flag = 0;
    MPI_Request r;
    MPI_Status s;
    PHASE("cancel");
    MPI_Irecv(&in, 1, MPI_INT, last_rank, 5, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &cancelled);
    CHECK_INT(cancelled, 1);
    CHECK_INT(in, -1);
    // The message after it is for the next receive.
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(&in, 1, MPI_INT, last_rank, 5, MPI_COMM_WORLD, &r);
    MPI_Send(&csp_test_rank, 1, MPI_INT, next_rank, 5, MPI_COMM_WORLD);
    while (!flag)
        MPI_Request_get_status(r, &flag, &s);
    CHECK_INT(s.MPI_SOURCE, last_rank);
    CHECK(r != MPI_REQUEST_NULL);
    MPI_Cancel(&r); // too late
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &cancelled);
    CHECK_INT(cancelled, 0);
    CHECK_INT(in, last_rank);
}

// Data of freed requests come all the same; later messages of the same sender tell when.
// Blocks with gaps as long as they.
static void freed(int bytes, int block, int tag)
{
    static char in[2 * LARGE], out[LARGE];
    char done = 0;
    MPI_Request r;
    MPI_Datatype type;
    const int last = (bytes / block - 1) * 2 * block + block - 1;
    PHASE("freed");
    memset(in, 0, sizeof(in));
    memset(out, tag, LARGE);
    MPI_Type_vector(bytes / block, block, 2 * block, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(in, 1, type, last_rank, tag, MPI_COMM_WORLD, &r);
    MPI_Type_free(&type);
    MPI_Request_free(&r);
    CHECK(r == MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(out, bytes, MPI_CHAR, next_rank, tag, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    p2p_await(&in[last], (char)tag); // an answer of whoever got the data
    CHECK_INT(in[0], tag);
    CHECK_INT(in[last], tag);
    if (bytes > block)
        CHECK_INT(in[last - block], 0); // a gap
    MPI_Sendrecv(&done, 1, MPI_CHAR, last_rank, 6, &done, 1, MPI_CHAR, next_rank, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void nobody(void)
{
    int in = 3;
    MPI_Status s;
    MPI_Request r;
    PHASE("MPI_PROC_NULL");
    MPI_Sendrecv(&csp_test_rank, 1, MPI_INT, next_rank, 8, &in, 1, MPI_INT, MPI_PROC_NULL, 8,
                 MPI_COMM_WORLD, &s);
    CHECK_INT(s.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_INT(in, 3);
    MPI_Sendrecv(&csp_test_rank, 1, MPI_INT, MPI_PROC_NULL, 8, &in, 1, MPI_INT, last_rank, 8,
                 MPI_COMM_WORLD, &s);
    CHECK_INT(in, last_rank);
    MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE); // MPICH 4.0 leaves the status as it was
    in = csp_test_rank;
    MPI_Sendrecv_replace(&in, 1, MPI_INT, next_rank, 8, last_rank, 8, MPI_COMM_WORLD, &s);
    CHECK_INT(in, last_rank);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    // With CSP_P2P=auto the messages may go another way after each barrier that nothing is left at.
    for (int i = 0; i < 20; i++) {
        any_and_some();
        all();
        error_field();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2; i++) {
        empties();
        looks();
        persistent();
        if (csp_test_size % 2 == 0)
            inactive();
        for (int block = 1; block <= LARGE; block = block == 1 ? 1000 : block * 50) {
            for (int way = 0; way < WAYS; way++) {
                seen_over(way, block == 1 ? 8 : block, block);
                seen_over(way, block < 3000 ? 3000 : block, block);
                seen_over(way, LARGE, block);
            }
            freed(block == 1 ? 8 : block, block, 11);
            freed(1000 < block ? block : 1000, block, 12);
            freed(LARGE, block, 13);
        }
        nobody();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    // The last, as the way may stay as it is from then on; in the first one it changes once.
    MPI_Barrier(MPI_COMM_WORLD);
    cancel();
    cancel();
    return csp_test_done();
}
