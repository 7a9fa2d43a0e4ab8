// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows of MPI_Win_create on memory of MPI_Alloc_mem: redirected as those of MPI_Win_allocate if all processes' memory is, else
// by the software route, with the same results. The memory stays the program's.
#include "casper_only.h"

enum { INTS = 64, OFFSET = 3 };

enum part {
    WHOLE,
    INSIDE, // not from the start of what MPI_Alloc_mem gave
    NONE,   // in odd processes
    PRIVATE // likewise: not of MPI_Alloc_mem
};
static const char *const names[] = {"whole", "inside", "none", "private"};

static int unreachable; // ghosts do not reach the program's memory (no_vm_tool.c)

static int is_plain(enum part part)
{
    const char *wish = getenv("CSP_CREATED_WINDOWS");
    return (wish && strcmp(wish, "plain") == 0) || (unreachable && part == PRIVATE);
}

static void check_route(MPI_Win win, enum part part)
{
    MPI_Info info;
    char route[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "casper_route", MPI_MAX_INFO_VAL, route, &flag);
    MPI_Info_free(&info);
    const char *want = is_plain(part) ? "" : part == PRIVATE ? "software" : "redirected";
    if (strcmp(route, want) != 0)
        FAIL("%s: the route is \"%s\", not \"%s\"", names[part], route, want);
}

static void check_attributes(MPI_Win win, const void *base, MPI_Aint bytes)
{
    void *value;
    int flag;
    MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
    CHECK(flag && value == base);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag);
    CHECK(flag && *(MPI_Aint *)value == bytes);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
    CHECK(flag && *(int *)value == MPI_WIN_FLAVOR_CREATE);
}

// Everybody adds to each, and puts its rank in a place of its own.
static void use(MPI_Win win, enum part part)
{
    MPI_Win_fence(0, win);
    for (int to = 0; to < csp_test_size; to++) {
        int one = 1, place = 1 + csp_test_rank;
        if (part == NONE && to % 2)
            continue;
        MPI_Accumulate(&one, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Put(&csp_test_rank, 1, MPI_INT, to, place, 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
}

static void check_content(const int *at)
{
    CHECK_INT(at[0], csp_test_size);
    for (int i = 0; i < csp_test_size; i++)
        CHECK_INT(at[1 + i], i);
}

static void create(enum part part)
{
    static int own[INTS];
    int odd = csp_test_rank % 2, *memory, *at;
    MPI_Win win;
    MPI_Alloc_mem(INTS * sizeof(int), MPI_INFO_NULL, &memory);
    at = part == INSIDE ? memory + OFFSET : part == PRIVATE && odd ? own : memory;
    memset(at, 0, (INTS - OFFSET) * sizeof(int));
    MPI_Aint bytes = part == NONE && odd ? 0 : (MPI_Aint)((INTS - OFFSET) * sizeof(int));
    MPI_Win_create(bytes ? at : NULL, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check_route(win, part);
    check_attributes(win, bytes ? at : NULL, bytes);
    use(win, part);
    MPI_Win_free(&win);
    if (bytes)
        check_content(at);
    MPI_Free_mem(memory);
}

// More than the pool lends: the library's memory, so the software route.
static void large(void)
{
    const MPI_Aint bytes = 4 << 20;
    char *memory;
    MPI_Win win;
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory);
    MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check_route(win, PRIVATE);
    MPI_Win_free(&win);
    MPI_Free_mem(memory);
}

int main(int argc, char **argv)
{
    unreachable = argc > 1 && strcmp(argv[1], "unreachable") == 0;
    csp_test_init();
    casper_only();
    csp_test_need_windows();
    for (int round = 0; round < 3; round++)
        for (enum part part = WHOLE; part <= PRIVATE; part++)
            create(part);
    if (getenv("CSP_POOL_SIZE"))
        large();
    return csp_test_done();
}
