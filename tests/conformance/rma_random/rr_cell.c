// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What may be done to an element at the same time (MPI-4.1 12.7): reads together; accumulates
// together if their result does not depend on the order, or one origin issues them and they are
// ordered; anything after a flush by the same origin, which then has the element for itself.
#include "rr.h"

bool rr_act_fetches(const struct rr_act *act)
{
    return act->kind == RR_K_GET || act->kind == RR_K_GET_ACC || act->kind == RR_K_FOP ||
           act->kind == RR_K_CAS || act->kind == RR_K_LOAD;
}

bool rr_act_sends(const struct rr_act *act)
{
    return act->kind != RR_K_GET && act->kind != RR_K_LOAD && rr_act_moves(act);
}

/** It is an operation, not a flush. */
bool rr_act_moves(const struct rr_act *act)
{
    return act->kind >= RR_K_PUT && act->kind <= RR_K_LOAD;
}

/** The byte of the target's part where element `i` of the operation lies. */
MPI_Aint rr_act_byte(const struct rr_act *act, int i)
{
    return act->start + act->target_side.at[i];
}

/** The same as an index in the zone. */
int rr_act_index(const struct rr_act *act, int i)
{
    return (int)((rr_act_byte(act, i) - act->zone->at) / act->basic->class->extent);
}

void rr_cells_clear(struct rr_win *win)
{
    for (int r = 0; r < win->size; r++)
        for (int z = 0; z < win->parts[r].nzones; z++) {
            struct rr_zone *zone = &win->parts[r].zones[z];
            memset(zone->cells, 0, sizeof *zone->cells * (size_t)zone->n);
        }
}

static enum rr_act_kind manner(enum rr_act_kind kind)
{
    if (kind == RR_K_PUT || kind == RR_K_STORE)
        return RR_K_PUT;
    return kind == RR_K_GET || kind == RR_K_LOAD ? RR_K_GET : RR_K_ACC;
}

static bool settled(const struct rr_cell *cell, const struct rr_act *act, int stamp)
{
    return cell->origin == act->origin && cell->stamp < stamp;
}

static bool acc_fits(const struct rr_win *win, const struct rr_cell *cell, const struct rr_act *act)
{
    enum rr_op op = cell->op == RR_NO_OP ? act->op : (enum rr_op)cell->op;
    bool reads = !win->same_op && (act->op == RR_NO_OP || cell->op == RR_NO_OP);
    if ((enum rr_op)cell->op != act->op && !reads)
        return false;
    bool in_order = cell->origin == act->origin && win->ordered && !cell->many;
    return in_order || (op != RR_REPLACE && op != RR_CAS_OP);
}

static bool fits(const struct rr_win *win, const struct rr_cell *cell, const struct rr_act *act,
                 int stamp)
{
    enum rr_act_kind how = manner(act->kind);
    if (cell->sole && cell->origin != act->origin)
        return false;
    if (cell->kind == RR_K_NONE || settled(cell, act, stamp))
        return true;
    if ((enum rr_act_kind)cell->kind != how || how == RR_K_PUT)
        return false;
    return how == RR_K_GET || acc_fits(win, cell, act);
}

static void enter(const struct rr_win *win, struct rr_cell *cell, const struct rr_act *act,
                  int stamp)
{
    enum rr_act_kind how = manner(act->kind);
    if (cell->kind != RR_K_NONE && settled(cell, act, stamp)) {
        cell->sole = true;
        cell->kind = RR_K_NONE;
    }
    if (cell->kind == RR_K_NONE) {
        cell->kind = (signed char)how;
        cell->op = (signed char)act->op;
        cell->origin = (signed char)act->origin;
    } else if (how == RR_K_ACC) {
        cell->many = cell->many || cell->origin != act->origin || !win->ordered;
    }
    if (cell->origin != act->origin)
        cell->origin = -1;
    if (cell->op == RR_NO_OP)
        cell->op = (signed char)act->op;
    cell->stamp = act->id;
}

/**
 * May the operation be in this round, as far as what is in it already? With `mark` it is.
 * @param stamps [origin][target]: what was issued before this id is complete
 */
bool rr_cell_take(const struct rr_win *win, struct rr_act *act, const int *stamps, bool mark)
{
    int stamp = stamps[act->origin * RR_MAX_RANKS + act->target];
    for (int i = 0; i < act->target_side.n; i++) {
        struct rr_cell *cell = &act->zone->cells[rr_act_index(act, i)];
        if (mark)
            enter(win, cell, act, stamp);
        else if (!fits(win, cell, act, stamp))
            return false;
    }
    return true;
}
