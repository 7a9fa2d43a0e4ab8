// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What a program may contain, by name.
#include "rr.h"

#define NAME_OF(feature) [RR_F_##feature - RND_F_OWN]

const char *const rr_features[RR_FEATURES - RND_F_OWN] = {
    NAME_OF(ALLOCATE) = "allocate",
    NAME_OF(CREATE) = "create",
    NAME_OF(DYNAMIC) = "dynamic",
    NAME_OF(SHARED) = "shared",
    NAME_OF(FENCE) = "fence",
    NAME_OF(PSCW) = "pscw",
    NAME_OF(LOCK) = "lock",
    NAME_OF(LOCK_ALL) = "lock_all",
    NAME_OF(STORE) = "store",
    NAME_OF(REATTACH) = "reattach",
    NAME_OF(PUT) = "put",
    NAME_OF(GET) = "get",
    NAME_OF(ACC) = "acc",
    NAME_OF(GET_ACC) = "get_acc",
    NAME_OF(FOP) = "fop",
    NAME_OF(CAS) = "cas",
    NAME_OF(REQUEST) = "request",
    NAME_OF(BYTES) = "bytes",
    NAME_OF(PAIR) = "pair",
    NAME_OF(SHORT_INT) = "short_int",
    NAME_OF(LONG_DOUBLE) = "long_double",
    NAME_OF(COMPLEX) = "complex",
    NAME_OF(BOOL) = "bool",
    NAME_OF(LARGE) = "large",
    NAME_OF(PROC_NULL) = "proc_null",
    NAME_OF(ZERO) = "zero",
    NAME_OF(HINTS) = "hints",
    NAME_OF(ODD) = "odd",
    NAME_OF(BOTTOM) = "bottom",
    NAME_OF(SUBCOMM) = "subcomm",
    NAME_OF(OVERLAP) = "overlap",
    NAME_OF(EXCLUSIVE) = "exclusive",
    NAME_OF(ASSERTS) = "asserts",
    NAME_OF(EMPTY_GROUP) = "empty_group",
    NAME_OF(LOCK_NOCHECK) = "lock_nocheck",
    NAME_OF(RGET) = "rget",
    NAME_OF(LOGICAL) = "logical",
    NAME_OF(BITWISE) = "bitwise",
    NAME_OF(SWITCH) = "switch",
};
