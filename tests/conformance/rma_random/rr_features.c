// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What a program may contain, by name, and what is skipped.
#include "rr.h"

struct rr_options rr_opts;
enum rr_win_kind rr_kind;

static const char *const names[RR_FEATURES] = {
    [RR_F_ALLOCATE] = "allocate",
    [RR_F_CREATE] = "create",
    [RR_F_DYNAMIC] = "dynamic",
    [RR_F_SHARED] = "shared",
    [RR_F_FENCE] = "fence",
    [RR_F_PSCW] = "pscw",
    [RR_F_LOCK] = "lock",
    [RR_F_LOCK_ALL] = "lock_all",
    [RR_F_STORE] = "store",
    [RR_F_REATTACH] = "reattach",
    [RR_F_PUT] = "put",
    [RR_F_GET] = "get",
    [RR_F_ACC] = "acc",
    [RR_F_GET_ACC] = "get_acc",
    [RR_F_FOP] = "fop",
    [RR_F_CAS] = "cas",
    [RR_F_REQUEST] = "request",
    [RR_F_DERIVED] = "derived",
    [RR_F_BYTES] = "bytes",
    [RR_F_PAIR] = "pair",
    [RR_F_SHORT_INT] = "short_int",
    [RR_F_LONG_DOUBLE] = "long_double",
    [RR_F_COMPLEX] = "complex",
    [RR_F_BOOL] = "bool",
    [RR_F_LARGE] = "large",
    [RR_F_PROC_NULL] = "proc_null",
    [RR_F_ZERO] = "zero",
    [RR_F_HINTS] = "hints",
    [RR_F_ODD] = "odd",
    [RR_F_BOTTOM] = "bottom",
    [RR_F_NEGATIVE] = "negative",
    [RR_F_COUNT_C] = "count_c",
    [RR_F_THREADS] = "threads",
    [RR_F_SUBCOMM] = "subcomm",
    [RR_F_OVERLAP] = "overlap",
    [RR_F_EXCLUSIVE] = "exclusive",
    [RR_F_ASSERTS] = "asserts",
    [RR_F_EMPTY_GROUP] = "empty_group",
    [RR_F_LOCK_NOCHECK] = "lock_nocheck",
    [RR_F_RGET] = "rget",
    [RR_F_LOGICAL] = "logical",
    [RR_F_BITWISE] = "bitwise",
};

const char *rr_feature_name(enum rr_feature feature)
{
    return names[feature];
}

bool rr_has(enum rr_feature feature)
{
    return rr_opts.feature[rr_kind][feature];
}

bool rr_skipped(int id)
{
    return id < rr_opts.nskip && rr_opts.skip[id];
}

/** "acc" everywhere, or "acc@create" in one kind of window. @return false if there is no such word */
static bool disable_one(const char *word)
{
    const char *at = strchr(word, '@');
    size_t length = at ? (size_t)(at - word) : strlen(word);
    bool found = false;
    for (int k = 0; k < RR_WIN_KINDS; k++)
        for (int f = 0; f < RR_FEATURES; f++)
            if (strlen(names[f]) == length && strncmp(word, names[f], length) == 0 &&
                (!at || strcmp(at + 1, names[RR_F_ALLOCATE + k]) == 0)) {
                rr_opts.feature[k][f] = false;
                found = true;
            }
    return found;
}

void rr_disable(const char *list)
{
    char *copy = strdup(list), *save = NULL;
    for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save))
        if (!disable_one(w)) {
            fprintf(stderr, "no such feature: %s\n", w);
            exit(2);
        }
    free(copy);
}
