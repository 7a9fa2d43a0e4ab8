// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CSP_P2P=on: a send of up to 16 KB returns before its receive is posted inside a node, of up to 64 KB between nodes: all
// send to all others that the size is for, then receive. Contiguous, with gaps (by the ghost, and packed by the
// sender), from memory that ghosts map; the sender's buffer is its own again.
#include "casper_only.h"

enum { LOCAL_MOST = 16384, MOST = 65536 };

static int *nodes; // of each process

static unsigned char value(int from, int i)
{
    return (unsigned char)(from * 31 + i * 7 + i / 256);
}

// Whether a send of so much to this process is over at once.
static int is_for(int bytes, int other)
{
    return other != csp_test_rank && (bytes <= LOCAL_MOST || nodes[other] != nodes[csp_test_rank]);
}

static void receive_all(int bytes)
{
    static unsigned char got[MOST];
    for (int from = 0; from < csp_test_size; from++) {
        MPI_Status status;
        int count, wrong = 0;
        if (!is_for(bytes, from))
            continue;
        memset(got, 0, sizeof(got));
        MPI_Recv(got, MOST, MPI_BYTE, from, 3, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        CHECK_INT(count, bytes);
        for (int i = 0; i < bytes; i++)
            wrong += got[i] != value(from, i);
        CHECK_MSG(wrong == 0, "%d of %d bytes of rank %d are wrong", wrong, bytes, from);
    }
}

// Blocks of `block` bytes, each `step` blocks from the next.
static void send_then_receive(unsigned char *buf, int bytes, int block, int step)
{
    MPI_Datatype type;
    MPI_Type_vector(bytes / block, block, block * step, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < bytes; i++)
        buf[i / block * block * step + i % block] = value(csp_test_rank, i);
    for (int to = 0; to < csp_test_size; to++)
        if (is_for(bytes, to))
            MPI_Send(buf, 1, type, to, 3, MPI_COMM_WORLD);
    memset(buf, 0xee, (size_t)bytes * (size_t)step);
    receive_all(bytes);
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(void)
{
    csp_test_init();
    casper_only();
    static const int sizes[] = {256, 2048, 4096, 8192, LOCAL_MOST, LOCAL_MOST * 2, MOST};
    unsigned char *own = malloc((size_t)MOST * 2), *mapped;
    int node = csp_test_node();
    nodes = malloc((size_t)csp_test_size * sizeof(*nodes));
    MPI_Allgather(&node, 1, MPI_INT, nodes, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alloc_mem(MOST * 2, MPI_INFO_NULL, &mapped);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        PHASE("contiguous");
        send_then_receive(own, sizes[i], sizes[i], 1);
        PHASE("memory of MPI_Alloc_mem");
        send_then_receive(mapped, sizes[i], sizes[i], 1);
        PHASE("fine gaps");
        send_then_receive(own, sizes[i], 8, 2);
        PHASE("large gaps");
        send_then_receive(own, sizes[i], sizes[i] / 2 < 1024 ? sizes[i] / 2 : 1024, 2);
    }
    MPI_Free_mem(mapped);
    free(own);
    free(nodes);
    return csp_test_done();
}
