// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows of the other kinds (create, create_dynamic, allocate_shared) beside an allocated one, in
// use at the same time.
#include "comms.h"

static void with_dynamic(MPI_Win allocated, int *base)
{
    MPI_Win win;
    MPI_Aint mine, *all = malloc(sizeof *all * (size_t)csp_test_size);
    int memory[4] = {0}, to = (csp_test_rank + 1) % csp_test_size, value = csp_test_rank + 50;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    PHASE("dynamic");
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Get_address(memory, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    base[0] = 0;
    MPI_Win_fence(0, allocated);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, to, MPI_Aint_add(all[to], sizeof(int)), 1, MPI_INT, win);
    MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, allocated);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, allocated);
    CHECK_INT(memory[1], from + 50);
    CHECK_INT(base[0], from + 50);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    free(all);
}

static void with_shared(MPI_Win allocated, int *base)
{
    MPI_Comm node;
    MPI_Win win;
    int rank, size, unit, *mine, *peer, value = csp_test_rank + 70;
    MPI_Aint bytes;
    PHASE("shared");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    MPI_Win_allocate_shared(64, sizeof(int), MPI_INFO_NULL, node, &mine, &win);
    MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &peer);
    CHECK(bytes >= 64 && unit == sizeof(int));
    MPI_Win_fence(0, allocated);
    MPI_Win_fence(0, win);
    peer[0] = rank + 1;
    MPI_Put(&value, 1, MPI_INT, (csp_test_rank + 1) % csp_test_size, 1, 1, MPI_INT, allocated);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, allocated);
    CHECK_INT(mine[0], (rank + size - 1) % size + 1);
    CHECK_INT(base[1], (csp_test_rank + csp_test_size - 1) % csp_test_size + 70);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

int main(void)
{
    csp_test_init();
    MPI_Win allocated, created;
    int memory[COMMS_N], *base = csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &allocated);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &created);
    comm_use(created, MPI_COMM_WORLD, memory, 1);
    comm_use(allocated, MPI_COMM_WORLD, base, 2);
    with_dynamic(allocated, base);
    with_shared(allocated, base);
    comm_use(created, MPI_COMM_WORLD, memory, 3);
    MPI_Win_free(&created);
    MPI_Win_free(&allocated);
    return csp_test_done();
}
