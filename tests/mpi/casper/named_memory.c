// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Where memfd_create is refused, windows are in named memory of /dev/shm, whose name is gone at once.
#include "casper_only.h"

enum { INTS = 4096 };

// Of the mapping that has the address in it; empty if there is none.
static void mapped_from(const void *address, char *path, int bytes)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    path[0] = '\0';
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        int at = 0;
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &from, &to, &at) == 2 && at > 0 &&
            (unsigned long)address >= from && (unsigned long)address < to)
            snprintf(path, (size_t)bytes, "%s", line + at);
    }
    if (maps)
        fclose(maps);
}

static void check_memory(const void *base)
{
    char path[512];
    mapped_from(base, path, sizeof path);
    if (strncmp(path, "/dev/shm/casper-", 16) != 0 || !strstr(path, "(deleted)"))
        FAIL("the window is in %s", path);
}

int main(void)
{
    csp_test_init();
    casper_only();
    MPI_Win win;
    int *base, to = (csp_test_rank + 1) % csp_test_size, back[INTS] = {0}, mine[INTS];
    for (int i = 0; i < INTS; i++)
        mine[i] = csp_test_rank * INTS + i;
    MPI_Win_allocate(sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    check_memory(base);
    memset(base, 0, sizeof mine);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Put(mine, INTS, MPI_INT, to, 0, INTS, MPI_INT, win);
    MPI_Win_flush(to, win);
    MPI_Accumulate(mine, INTS, MPI_INT, to, 0, INTS, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(to, win);
    MPI_Get(back, INTS, MPI_INT, to, 0, INTS, MPI_INT, win);
    MPI_Win_unlock_all(win);
    for (int i = 0; i < INTS; i++)
        CHECK_INT(back[i], 2 * mine[i]);
    MPI_Win_free(&win);
    return csp_test_done();
}
