// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A program in words, one line for each window, round and action that is not skipped.
#include "rr.h"

static void print_part(const struct rr_win *win, int rank)
{
    const struct rr_part *part = &win->parts[rank];
    printf("      part %d: world rank %d, %ld bytes, unit %d:", rank, win->members[rank],
           (long)part->size, part->unit);
    for (int z = 0; z < part->nzones; z++)
        printf(" %d %s at %ld%s", part->zones[z].n, part->zones[z].basic->name,
               (long)part->zones[z].at, z + 1 < part->nzones ? "," : "");
    printf("\n");
}

static void print_win(const struct rr_win *win)
{
    static const char *const kinds[] = {"allocate", "create", "create_dynamic", "allocate_shared"};
    printf("%4d  window %d: MPI_Win_%s, phases %d to %d%s%s%s%s%s%s%s%s%s\n", win->id, win->index,
           kinds[win->kind], win->born, win->dies, rr_win_lent(win) ? ", MPI_Alloc_mem" : "",
           win->no_locks ? ", no_locks" : "",
           win->say_ordered ? win->ordered ? ", accumulate_ordering=rar,raw,war,waw"
                                           : ", accumulate_ordering=none"
                            : "",
           win->say_ops
               ? win->same_op ? ", accumulate_ops=same_op" : ", accumulate_ops=same_op_no_op"
               : "",
           win->same_size ? ", same_size" : "", win->same_unit ? ", same_disp_unit" : "",
           win->kind == RR_W_SHARED && win->noncontig ? ", alloc_shared_noncontig" : "",
           win->config ? ", async_config=" : "", win->config ? win->config : "");
    for (int r = 0; r < win->size; r++)
        print_part(win, r);
}

static void print_ways(const struct rr_act *act)
{
    char text[1024];
    if (rr_act_sends(act) && !act->no_origin) {
        rnd_side_print(&act->from, text, sizeof text);
        printf(", from %s", text);
    }
    if (rr_act_fetches(act)) {
        rnd_side_print(&act->to, text, sizeof text);
        printf(", into %s", text);
    }
    rnd_side_print(&act->target_side, text, sizeof text);
    printf(", target %s", text);
    printf("%s%s%s%s%s%s\n", act->absolute ? ", absolute addresses" : "",
           act->bottom ? ", origin at MPI_BOTTOM" : "", act->bytes ? ", as MPI_BYTE" : "",
           act->request ? ", with request" : "", act->count_c ? ", by the _c function" : "",
           act->kind != RR_K_CAS ? ""
           : act->cas_match      ? ", equal"
                                 : ", may differ");
}

static void print_act(const struct rr_round *round, const struct rr_act *act)
{
    static const char *const kinds[] = {"",
                                        "put",
                                        "get",
                                        "accumulate",
                                        "get_accumulate",
                                        "fop",
                                        "cas",
                                        "store",
                                        "load",
                                        "flush",
                                        "flush_local",
                                        "flush_all",
                                        "flush_local_all",
                                        "wait for requests"};
    printf("%4d      rank %d: %s", act->id, act->origin, kinds[act->kind]);
    if (act->kind == RR_K_FLUSH || act->kind == RR_K_FLUSH_LOCAL)
        printf(" %d", act->target);
    if (act->session >= 0 && !round->hold)
        printf(" [%s lock %d of rank %d]",
               round->sessions[act->session].exclusive ? "exclusive" : "shared", act->session,
               round->sessions[act->session].target);
    if (!rr_act_moves(act)) {
        printf("\n");
        return;
    }
    if (act->kind >= RR_K_ACC && act->kind <= RR_K_FOP)
        printf(" %s", rr_op_name(act->op));
    printf(" %d %s, rank %d", act->target_side.n, act->basic->name, act->target);
    if (act->zone)
        printf(" byte %ld (displacement %ld)", (long)(act->start + act->target_side.lo),
               (long)act->disp);
    print_ways(act);
}

const char *rr_style_name(enum rr_style style)
{
    static const char *const names[] = {"fence",          "post/start/complete/wait",
                                        "lock",           "lock_all",
                                        "load and store", "detach and attach"};
    return names[style];
}

static void print_round(const struct rr_round *round, int phase)
{
    printf("%4d    phase %d, window %d: %s%s%s%s%s%s%s%s\n", round->id, phase, round->win->index,
           rr_style_name(round->style),
           round->hold && round->style == RR_LOCK ? " (all held at once)" : "",
           round->chained ? ", epoch goes on" : "", round->asserts ? ", assertions" : "",
           round->nocheck ? ", NOCHECK" : "", round->config ? ", async_config=" : "",
           round->config ? round->config : "", round->config && round->at_once ? " at once" : "");
    for (int i = 0; i < round->nsessions && round->hold && round->style == RR_LOCK; i++)
        printf("        rank %d holds rank %d, %s\n", round->sessions[i].origin,
               round->sessions[i].target, round->sessions[i].exclusive ? "exclusive" : "shared");
    for (int o = 0; o < round->win->size && round->style == RR_PSCW; o++)
        printf("        rank %d starts to 0x%x\n", o, round->edges[o]);
    for (int i = 0; i < round->nacts; i++)
        if (!rnd_skipped(round->acts[i].id))
            print_act(round, &round->acts[i]);
}

void rr_print(const struct rr_program *p)
{
    for (int i = 0; i < p->nwins; i++)
        if (!rnd_skipped(p->wins[i].id))
            print_win(&p->wins[i]);
    for (int f = 0; f < p->nphases; f++)
        for (int r = 0; r < p->phases[f].nrounds; r++) {
            const struct rr_round *round = &p->phases[f].rounds[r];
            if (round->win && !rnd_skipped(round->win->id) && !rnd_skipped(round->id))
                print_round(round, f);
        }
}
