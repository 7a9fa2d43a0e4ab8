// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A PMPI tool for tests: every window that the program allocates becomes one of MPI_Win_create on
// private memory, so that the tests of allocated windows test the software route too; with CASPER_TEST_LENT on
// memory of MPI_Alloc_mem, which ghosts map.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

struct window {
    struct window *next;
    MPI_Win win;
    void *memory;
};

static struct window *windows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t alignment(MPI_Info info)
{
    char text[32];
    int flag = 0;
    if (info != MPI_INFO_NULL)
        MPI_Info_get(info, "mpi_minimum_memory_alignment", sizeof text - 1, text, &flag);
    size_t n = flag ? strtoul(text, NULL, 10) : 64;
    return n < 64 ? 64 : n;
}

static int is_lent(void)
{
    return getenv("CASPER_TEST_LENT") != NULL;
}

static void *take_memory(MPI_Aint size, MPI_Info info)
{
    void *memory = NULL;
    if (size < 0)
        return NULL;
    if (is_lent())
        PMPI_Alloc_mem(size > 0 ? size : 1, MPI_INFO_NULL, &memory);
    else if (posix_memalign(&memory, alignment(info), (size_t)(size > 0 ? size : 1)))
        return NULL;
    return memory;
}

static void give_memory(void *memory)
{
    if (is_lent())
        PMPI_Free_mem(memory);
    else
        free(memory);
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                     MPI_Win *win)
{
    struct window *w = malloc(sizeof *w);
    w->memory = take_memory(size, info);
    int rc = PMPI_Win_create(w->memory, size, disp_unit, info, comm, win);
    w->win = *win;
    *(void **)baseptr = w->memory;
    pthread_mutex_lock(&lock);
    w->next = windows;
    windows = w;
    pthread_mutex_unlock(&lock);
    return rc;
}

static struct window *take(MPI_Win win)
{
    pthread_mutex_lock(&lock);
    struct window **at = &windows, *w;
    while (*at && (*at)->win != win)
        at = &(*at)->next;
    w = *at;
    if (w)
        *at = w->next;
    pthread_mutex_unlock(&lock);
    return w;
}

static void give(struct window *w)
{
    pthread_mutex_lock(&lock);
    w->next = windows;
    windows = w;
    pthread_mutex_unlock(&lock);
}

int MPI_Win_free(MPI_Win *win)
{
    struct window *w = take(*win); // before the handle can be given out again
    int rc = PMPI_Win_free(win);
    if (w && rc != MPI_SUCCESS) {
        give(w);
    } else if (w) {
        give_memory(w->memory);
        free(w);
    }
    return rc;
}
