// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A fixed number of functions of ours, made by macros, each standing for one error handler function
// of the program. User role, any thread.
#ifndef CSP_WRAP_ERRH_SLOTS_H
#define CSP_WRAP_ERRH_SLOTS_H

#define CSP_ERRH_SLOTS 256

// clang-format off
#define CSP_ERRH_ROW(X, h)                                                                         \
    X(h##0) X(h##1) X(h##2) X(h##3) X(h##4) X(h##5) X(h##6) X(h##7)                                \
    X(h##8) X(h##9) X(h##a) X(h##b) X(h##c) X(h##d) X(h##e) X(h##f)
// X(00) to X(ff)
#define CSP_ERRH_ALL(X)                                                                            \
    CSP_ERRH_ROW(X, 0) CSP_ERRH_ROW(X, 1) CSP_ERRH_ROW(X, 2) CSP_ERRH_ROW(X, 3)                    \
    CSP_ERRH_ROW(X, 4) CSP_ERRH_ROW(X, 5) CSP_ERRH_ROW(X, 6) CSP_ERRH_ROW(X, 7)                    \
    CSP_ERRH_ROW(X, 8) CSP_ERRH_ROW(X, 9) CSP_ERRH_ROW(X, a) CSP_ERRH_ROW(X, b)                    \
    CSP_ERRH_ROW(X, c) CSP_ERRH_ROW(X, d) CSP_ERRH_ROW(X, e) CSP_ERRH_ROW(X, f)
// clang-format on

typedef void csp_errh_any(void); // any function

/** The slot of `fn`, the same each time it comes; -1 (and a message) when all are taken. */
int csp_errh_slot(csp_errh_any *_Atomic *slots, csp_errh_any *fn);

#endif
