// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Messages of sizes around every threshold, contiguous and with gaps, in every mode, before and after their
// receive is posted. Each process sends to all, itself included.
#include "../csp_test.h"

enum { GAP = 3, BLOCK = 5, MODES = 3 };

static const int sizes[] = {0,      1,      255,    256,     257,    3903,  3904,
                            3905,   16383,  16384,  16385,   65535,  65536, 65537,
                            262143, 262144, 262145, 1048577, 3000001};

static unsigned char value(int from, int to, long i)
{
    return (unsigned char)(from * 31 + to * 7 + i * 13);
}

// `n` bytes, BLOCK with a GAP behind them if `gaps`.
static MPI_Datatype type_of(int n, int gaps, size_t *extent)
{
    MPI_Datatype type;
    int blocks = n / BLOCK, rest = n % BLOCK;
    int lengths[2] = {blocks, rest};
    MPI_Aint at[2] = {0, (MPI_Aint)blocks * (BLOCK + GAP)};
    if (!gaps) {
        MPI_Type_contiguous(n, MPI_BYTE, &type);
        *extent = (size_t)n;
    } else {
        MPI_Datatype parts[2];
        MPI_Type_vector(blocks, BLOCK, BLOCK + GAP, MPI_BYTE, &parts[0]);
        parts[1] = MPI_BYTE;
        lengths[0] = 1;
        MPI_Type_create_struct(2, lengths, at, parts, &type);
        MPI_Type_free(&parts[0]);
        *extent = (size_t)at[1] + (size_t)rest;
    }
    MPI_Type_commit(&type);
    return type;
}

static size_t place(long i, int gaps)
{
    return gaps ? (size_t)(i / BLOCK * (BLOCK + GAP) + i % BLOCK) : (size_t)i;
}

// Of the heap, or memory that ghosts may map.
static unsigned char *poisoned(size_t bytes, int mapped)
{
    unsigned char *p;
    if (mapped)
        MPI_Alloc_mem((MPI_Aint)bytes + 1, MPI_INFO_NULL, &p);
    else
        p = malloc(bytes + 1);
    memset(p, CSP_TEST_POISON, bytes + 1);
    return p;
}

static void drop(unsigned char *p, int mapped)
{
    if (mapped)
        MPI_Free_mem(p);
    else
        free(p);
}

static void check(const unsigned char *got, size_t extent, int n, int gaps, int from)
{
    size_t next = 0;
    for (long i = 0; i < n; i++) {
        size_t at = place(i, gaps);
        for (; next < at; next++)
            CHECK_MSG(got[next] == CSP_TEST_POISON, "%d bytes: a gap was written", n);
        if (got[at] != value(from, csp_test_rank, i)) {
            FAIL("%d bytes from %d: byte %ld is wrong", n, from, i);
            return;
        }
        next = at + 1;
    }
    CHECK_MSG(got[extent] == CSP_TEST_POISON, "%d bytes: written beyond the end", n);
}

static void send(int mode, const void *buf, MPI_Datatype type, int to, MPI_Request *request)
{
    static int (*const calls[MODES])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                                     MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Ibsend};
    calls[mode](buf, 1, type, to, mode, MPI_COMM_WORLD, request);
}

// All to all with one size; `late`: receives are posted when messages may be there.
static void exchange(int n, int gaps, int mode, int late)
{
    size_t extent;
    MPI_Datatype type = type_of(n, gaps, &extent);
    unsigned char *out[16], *in[16];
    MPI_Request requests[32];
    MPI_Status statuses[32];
    const int ranks = csp_test_size;
    for (int r = 0; r < ranks; r++) {
        out[r] = poisoned(extent, r % 2);
        in[r] = poisoned(extent, r / 2 % 2);
        for (long i = 0; i < n; i++)
            out[r][place(i, gaps)] = value(csp_test_rank, r, i);
    }
    for (int step = 0; step < 2; step++)
        for (int r = 0; r < ranks; r++)
            if (step == late)
                MPI_Irecv(in[r], 1, type, r, mode, MPI_COMM_WORLD, &requests[r]);
            else
                send(mode, out[r], type, r, &requests[ranks + r]);
    MPI_Type_free(&type);
    MPI_Waitall(2 * ranks, requests, statuses);
    for (int r = 0; r < ranks; r++) {
        int count = -1;
        MPI_Get_count(&statuses[r], MPI_BYTE, &count);
        CHECK_INT(count, n);
        CHECK_INT(statuses[r].MPI_SOURCE, r);
        CHECK_INT(statuses[r].MPI_TAG, mode);
        check(in[r], extent, n, gaps, r);
        drop(in[r], r / 2 % 2);
        drop(out[r], r % 2);
    }
}

int main(void)
{
    void *buffer = malloc(80u << 20);
    csp_test_init();
    MPI_Buffer_attach(buffer, 80 << 20);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
        for (int mode = 0; mode < MODES; mode++)
            for (int how = 0; how < 4; how++)
                if (sizes[s] < 1000000 || mode == how % MODES) {
                    exchange(sizes[s], how / 2, mode, how % 2);
                    MPI_Barrier(
                        MPI_COMM_WORLD); // with CSP_P2P=auto they go another way from here on,
                }
        MPI_Barrier(MPI_COMM_WORLD); // and those of the next size the other one
    }
    int size;
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
    return csp_test_done();
}
