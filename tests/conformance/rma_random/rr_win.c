// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Creating and freeing windows of each kind, and the memory behind them. Memory of our own has
// guards before and behind it.
#include "rr.h"

unsigned char *rr_local(const struct rr_win *win, MPI_Aint at)
{
    const struct rr_part *part = &win->parts[win->me];
    int seg = part->nsegs - 1;
    while (seg > 0 && at < part->seg_start[seg])
        seg--;
    if (win->base)
        return win->base + at;
    return win->block[seg] + RR_GUARD_BYTES + (at - part->seg_start[seg]);
}

static MPI_Aint seg_bytes(const struct rr_part *part, int seg)
{
    return part->seg_start[seg + 1] - part->seg_start[seg];
}

/** Half of the created windows are on memory of MPI_Alloc_mem. */
bool rr_win_lent(const struct rr_win *win)
{
    return win->kind == RR_W_CREATE && win->id % 2 == 1;
}

static void new_block(struct rr_win *win, int seg)
{
    MPI_Aint bytes = seg_bytes(&win->parts[win->me], seg);
    size_t whole = (size_t)(bytes + 3 * RR_GUARD_BYTES) / RR_GUARD_BYTES * RR_GUARD_BYTES;
    if (rr_win_lent(win))
        MPI_Alloc_mem((MPI_Aint)whole, MPI_INFO_NULL, &win->block[seg]);
    else
        win->block[seg] = aligned_alloc(RR_GUARD_BYTES, whole);
    if (!win->block[seg])
        abort();
    csp_test_poison(win->block[seg], whole);
}

static void free_block(struct rr_win *win, int seg)
{
    unsigned char *block = win->block[seg];
    MPI_Aint bytes = seg_bytes(&win->parts[win->me], seg);
    if (!csp_test_is_poison(block, RR_GUARD_BYTES) ||
        !csp_test_is_poison(block + RR_GUARD_BYTES + bytes, RR_GUARD_BYTES))
        rr_wrong(win, NULL, "memory beside the window was overwritten (segment %d)", seg);
    if (rr_win_lent(win))
        MPI_Free_mem(block);
    else
        free(block);
    win->block[seg] = NULL;
}

/** Only jobs that ask for changes get them: operations that are not redirected meet the faults of the library. */
static bool switches(void)
{
    return getenv("CSP_ASYNC_CONFIG") != NULL;
}

static MPI_Info make_info(const struct rr_win *win)
{
    MPI_Info info;
    MPI_Info_create(&info);
    if (win->no_locks)
        MPI_Info_set(info, "no_locks", "true");
    if (win->say_ordered)
        MPI_Info_set(info, "accumulate_ordering", win->ordered ? "rar,raw,war,waw" : "none");
    if (win->say_ops)
        MPI_Info_set(info, "accumulate_ops", win->same_op ? "same_op" : "same_op_no_op");
    if (win->same_size)
        MPI_Info_set(info, "same_size", "true");
    if (win->same_unit)
        MPI_Info_set(info, "same_disp_unit", "true");
    if (win->kind == RR_W_SHARED && win->noncontig)
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
    if (switches() && win->config)
        MPI_Info_set(info, "async_config", win->config);
    return info;
}

/** Redirection of a window's operations may change now. Everything before is complete everywhere. */
void rr_win_switch(const struct rr_round *round)
{
    MPI_Info info;
    if (!switches() || !round->config)
        return;
    MPI_Info_create(&info);
    MPI_Info_set(info, "async_config", round->config);
    if (round->at_once)
        MPI_Info_set(info, "symmetric", "true");
    MPI_Win_set_info(round->win->handle, info);
    MPI_Info_free(&info);
}

static void attach_all(struct rr_win *win)
{
    struct rr_part *part = &win->parts[win->me];
    MPI_Aint mine[RR_MAX_SEGS] = {0}, all[RR_MAX_RANKS * RR_MAX_SEGS];
    for (int s = 0; s < part->nsegs; s++) {
        unsigned char *at = win->block[s] + RR_GUARD_BYTES;
        MPI_Win_attach(win->handle, at, seg_bytes(part, s));
        MPI_Get_address(at, &mine[s]);
    }
    MPI_Allgather(mine, RR_MAX_SEGS, MPI_AINT, all, RR_MAX_SEGS, MPI_AINT, win->comm);
    for (int r = 0; r < win->size; r++)
        memcpy(win->parts[r].seg_addr, all + (ptrdiff_t)r * RR_MAX_SEGS, sizeof mine);
}

static void make_handle(struct rr_win *win, MPI_Info info)
{
    struct rr_part *part = &win->parts[win->me];
    if (win->kind == RR_W_CREATE)
        MPI_Win_create(win->block[0] + RR_GUARD_BYTES, part->size, part->unit, info, win->comm,
                       &win->handle);
    else if (win->kind == RR_W_DYNAMIC)
        MPI_Win_create_dynamic(info, win->comm, &win->handle);
    else if (win->kind == RR_W_ALLOCATE)
        MPI_Win_allocate(part->size, part->unit, info, win->comm, &win->base, &win->handle);
    else
        MPI_Win_allocate_shared(part->size, part->unit, info, win->comm, &win->base, &win->handle);
}

static void find_direct(struct rr_win *win)
{
    for (int r = 0; r < win->size; r++) {
        MPI_Aint size;
        int unit;
        MPI_Win_shared_query(win->handle, r, &size, &unit, &win->direct[r]);
        if (size < win->parts[r].size || (size > 0 && unit != win->parts[r].unit))
            rr_wrong(win, NULL, "shared_query of rank %d: %ld bytes, unit %d", r, (long)size, unit);
    }
}

/** Writes the initial values; nobody accesses the window yet. */
static void fill(struct rr_win *win)
{
    struct rr_part *part = &win->parts[win->me];
    if (!win->no_locks)
        MPI_Win_lock(MPI_LOCK_SHARED, win->me, 0, win->handle);
    for (int s = 0; s < part->nsegs; s++)
        if (seg_bytes(part, s) > 0)
            memcpy(rr_local(win, part->seg_start[s]), part->model + part->seg_start[s],
                   (size_t)seg_bytes(part, s));
    if (!win->no_locks)
        MPI_Win_unlock(win->me, win->handle);
    MPI_Barrier(win->comm);
}

/** Called by all ranks, also those that are not in the window. */
void rr_win_make(struct rr_win *win)
{
    int key = win->me < 0 ? 0 : win->me;
    MPI_Comm_split(MPI_COMM_WORLD, win->me < 0 ? MPI_UNDEFINED : 0, key, &win->comm);
    if (win->me < 0)
        return;
    if (win->kind == RR_W_CREATE || win->kind == RR_W_DYNAMIC)
        for (int s = 0; s < win->parts[win->me].nsegs; s++)
            new_block(win, s);
    MPI_Info info = make_info(win);
    make_handle(win, info);
    MPI_Info_free(&info);
    if (win->kind == RR_W_DYNAMIC)
        attach_all(win);
    if (win->kind == RR_W_SHARED)
        find_direct(win);
    fill(win);
}

void rr_win_free(struct rr_win *win)
{
    if (win->me < 0)
        return;
    struct rr_part *part = &win->parts[win->me];
    for (int s = 0; s < part->nsegs && win->kind == RR_W_DYNAMIC; s++)
        MPI_Win_detach(win->handle, win->block[s] + RR_GUARD_BYTES);
    MPI_Win_free(&win->handle);
    for (int s = 0; s < part->nsegs; s++)
        if (win->block[s])
            free_block(win, s);
    MPI_Comm_free(&win->comm);
}

/** Moves the memory behind a dynamic window elsewhere, with what is in it. */
void rr_win_reattach(struct rr_win *win)
{
    struct rr_part *part = &win->parts[win->me];
    MPI_Barrier(win->comm);
    for (int s = 0; s < part->nsegs; s++) {
        size_t bytes = (size_t)seg_bytes(part, s);
        unsigned char *kept = malloc(bytes + 1);
        if (!kept)
            abort();
        memcpy(kept, win->block[s] + RR_GUARD_BYTES, bytes);
        MPI_Win_detach(win->handle, win->block[s] + RR_GUARD_BYTES);
        free_block(win, s);
        new_block(win, s);
        memcpy(win->block[s] + RR_GUARD_BYTES, kept, bytes);
        free(kept);
    }
    attach_all(win);
    MPI_Barrier(win->comm);
}
