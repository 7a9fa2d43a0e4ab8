// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A random RMA program, generated alike on each rank from a seed: windows, phases, rounds, actions.
// Each window, round and action has an id; what is skipped by its id leaves all others as they are.
// rr_plan*.c generates, rr_model.c says what must come out, rr_exec.c and its helpers do it.
#ifndef RR_H
#define RR_H

#include "rnd.h"

enum { RR_ALL = -101, RR_WITH_REQUEST = -102 }; // in place of a target: which operations
enum { RR_MAX_RANKS = RND_MAX_RANKS, RR_MAX_SEGS = 3, RR_MAX_WINS = 4, RR_GUARD_BYTES = 64 };

// What a program may contain; rr_features.c has the names.
enum rr_feature {
    RR_F_ALLOCATE = RND_F_OWN,
    RR_F_CREATE,
    RR_F_DYNAMIC,
    RR_F_SHARED,
    RR_F_FENCE,
    RR_F_PSCW,
    RR_F_LOCK,
    RR_F_LOCK_ALL,
    RR_F_STORE,
    RR_F_REATTACH,
    RR_F_PUT,
    RR_F_GET,
    RR_F_ACC,
    RR_F_GET_ACC,
    RR_F_FOP,
    RR_F_CAS,
    RR_F_REQUEST,
    RR_F_BYTES,
    RR_F_PAIR,
    RR_F_SHORT_INT,
    RR_F_LONG_DOUBLE,
    RR_F_COMPLEX,
    RR_F_BOOL,
    RR_F_LARGE,
    RR_F_PROC_NULL,
    RR_F_ZERO,
    RR_F_HINTS,
    RR_F_ODD,
    RR_F_BOTTOM,
    RR_F_SUBCOMM,
    RR_F_OVERLAP,
    RR_F_EXCLUSIVE,
    RR_F_ASSERTS,
    RR_F_EMPTY_GROUP,
    RR_F_LOCK_NOCHECK,
    RR_F_RGET,
    RR_F_LOGICAL,
    RR_F_BITWISE,
    RR_F_SWITCH,
    RR_FEATURES
};

enum rr_op {
    RR_SUM,
    RR_PROD,
    RR_MAX,
    RR_MIN,
    RR_LAND,
    RR_LOR,
    RR_LXOR,
    RR_BAND,
    RR_BOR,
    RR_BXOR,
    RR_MAXLOC,
    RR_MINLOC,
    RR_REPLACE,
    RR_NO_OP,
    RR_CAS_OP, // MPI_Compare_and_swap; not an MPI_Op
    RR_OPS
};

enum rr_win_kind { RR_W_ALLOCATE, RR_W_CREATE, RR_W_DYNAMIC, RR_W_SHARED, RR_WIN_KINDS };

/** What several predefined types have in common: the C type of an element and its arithmetic. */
struct rr_class {
    MPI_Aint extent, align;
    unsigned ops; // bit for each rr_op
    bool cas;
    int feature; // needed, or -1
    void (*apply)(enum rr_op op, void *inout, const void *in);
    void (*set)(void *p, int value, int index);
    bool (*equal)(const void *a, const void *b); // ignores gaps between members
    void (*print)(const void *p, char *text, size_t bytes);
};

struct rr_basic {
    const char *name;
    MPI_Datatype type;
    const struct rr_class *class;
};

/** Who has done what to an element in the round being generated. */
struct rr_cell {
    signed char kind, op, origin; // RR_K_*, rr_op, window rank
    bool many;                    // not ordered: several origins, or ordering is off
    bool sole;                    // for the rest of the round this origin's alone
    int stamp;                    // of the last access
    int last_act;                 // id
};

struct rr_zone { // elements of one type
    MPI_Aint at;
    int n, seg;
    const struct rr_basic *basic;
    struct rr_cell *cells;
};

struct rr_part { // a rank's memory in a window
    MPI_Aint size;
    int unit, nzones, nsegs;
    struct rr_zone *zones;
    MPI_Aint seg_start[RR_MAX_SEGS + 1];
    MPI_Aint seg_addr[RR_MAX_SEGS]; // in dynamic windows
    unsigned char *model;
};

struct rr_win {
    int id, index, size, me; // me: own rank, or -1
    enum rr_win_kind kind;
    int members[RR_MAX_RANKS]; // world ranks
    struct rr_part *parts;
    int born, dies; // phases
    bool no_locks, ordered, say_ordered, same_op, say_ops, same_size, same_unit, noncontig;
    const char *config;                      // async_config that it is made with, or NULL
    bool skipped, fence_open, lock_all_open; // the epoch of the last round goes on
    MPI_Comm comm;
    MPI_Win handle;
    unsigned char *base, *block[RR_MAX_SEGS];
    unsigned char *direct[RR_MAX_RANKS]; // shared windows: everybody's part
};

enum rr_act_kind {
    RR_K_NONE,
    RR_K_PUT,
    RR_K_GET,
    RR_K_ACC,
    RR_K_GET_ACC,
    RR_K_FOP,
    RR_K_CAS,
    RR_K_STORE,
    RR_K_LOAD,
    RR_K_FLUSH,
    RR_K_FLUSH_LOCAL,
    RR_K_FLUSH_ALL,
    RR_K_FLUSH_LOCAL_ALL,
    RR_K_WAIT,
    RR_ACT_KINDS
};

struct rr_act {
    int id, origin, target, session; // ranks of the window
    enum rr_act_kind kind;
    enum rr_op op;
    const struct rr_basic *basic;
    struct rr_zone *zone; // NULL: nothing is touched
    struct rnd_side from, to, target_side;
    MPI_Aint disp, start; // start: byte of the part where target_side has its 0
    bool bytes, request, count_c, bottom, no_origin, cas_match, absolute;
    unsigned value;
    bool *unsure; // fetched elements that depend on who came first
    // while it is executed, at the origin
    bool issued, done;
    unsigned char *origin_buf, *result_buf, *compare, *expect;
    size_t origin_bytes, result_bytes;
    MPI_Request handle;
};

enum rr_style { RR_FENCE, RR_PSCW, RR_LOCK, RR_LOCK_ALL, RR_STORES, RR_REATTACH, RR_STYLES };

struct rr_session {
    int origin, target;
    bool exclusive, nocheck;
};

struct rr_round {
    int id, nacts, nsessions;
    struct rr_win *win;
    enum rr_style style;
    struct rr_act *acts;
    struct rr_session *sessions;
    bool hold, chained, nocheck, no_exclusive, use_test, asserts, empty_groups;
    unsigned edges[RR_MAX_RANKS]; // PSCW: targets of each origin
    const char *config;           // async_config that is set before it, or NULL;
    bool at_once;                 // if not, it counts from the fence on that opens it
};

struct rr_phase {
    int nrounds;
    bool threaded;
    struct rr_round rounds[2]; // of different windows, under way together
};

struct rr_program {
    uint64_t seed;
    int nwins, nphases, nids, ranks;
    struct rr_win wins[RR_MAX_WINS];
    struct rr_phase *phases;
};

// Errors made on purpose, to test the tester.
extern bool rr_drop_puts, rr_wrong_sums;

// rr_features.c
extern const char *const rr_features[RR_FEATURES - RND_F_OWN];

// rr_types.c
int rr_basics(const struct rr_basic **all);
MPI_Op rr_mpi_op(enum rr_op op);
const char *rr_op_name(enum rr_op op);
void rr_value(const struct rr_basic *basic, enum rr_op op, unsigned value, int index, void *p);

// rr_plan*.c
struct rr_program *rr_plan(uint64_t seed, int ranks, const int *nodes, int me);
void rr_plan_win(struct rr_program *p, struct rr_win *win, struct rnd_rng *rng, const int *nodes);
void rr_plan_acts(struct rr_program *p, struct rr_round *round, struct rnd_rng *rng);
bool rr_cell_take(const struct rr_win *win, struct rr_act *act, const int *stamps, bool mark);
void rr_cells_clear(struct rr_win *win);
bool rr_act_fetches(const struct rr_act *act);
bool rr_act_sends(const struct rr_act *act);
bool rr_act_moves(const struct rr_act *act);
MPI_Aint rr_act_byte(const struct rr_act *act, int i);
int rr_act_index(const struct rr_act *act, int i);

// rr_model.c
void rr_model_round(struct rr_round *round);
bool rr_check_part(struct rr_win *win, int round_id);
uint64_t rr_digest(const struct rr_win *win);

// rr_win.c
bool rr_win_lent(const struct rr_win *win);
void rr_win_make(struct rr_win *win);
void rr_win_free(struct rr_win *win);
void rr_win_reattach(struct rr_win *win);
void rr_win_switch(const struct rr_round *round);
unsigned char *rr_local(const struct rr_win *win, MPI_Aint at);

// rr_exec.c, rr_epoch.c, rr_act.c
void rr_phase_run(struct rr_phase *phase);
void rr_epoch_open(struct rr_round *round);
void rr_epoch_close(struct rr_round *round);
void rr_lock(const struct rr_win *win, const struct rr_session *s);
void rr_epoch_finish(struct rr_win *win);
void rr_act_run(struct rr_round *round, struct rr_act *act);
void rr_act_done(struct rr_win *win, struct rr_act *act);
void rr_acts_settle(struct rr_round *round, int target, int upto);

// rr_print.c
void rr_print(const struct rr_program *p);
const char *rr_style_name(enum rr_style style);

// rr_main.c
void rr_wrong(const struct rr_win *win, const struct rr_act *act, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
