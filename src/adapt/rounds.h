// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who tells whom when all of n must hear of all: log2(n) rounds, in round r a message to the one 2^r further
// (dissemination; with what was heard before, Bruck's algorithm). Pure code.
#ifndef CSP_ADAPT_ROUNDS_H
#define CSP_ADAPT_ROUNDS_H

enum { CSP_ROUNDS = 31 }; // at most

static inline int csp_rounds(int n)
{
    int r = 0;
    while (r < CSP_ROUNDS && 1U << r < (unsigned)n)
        r++;
    return r;
}

static inline int csp_rounds_to(int me, int n, int round)
{
    return (int)(((long long)me + (1LL << round)) % n);
}

static inline int csp_rounds_from(int me, int n, int round)
{
    return (int)(((long long)me - (1LL << round) + n) % n);
}

#endif
