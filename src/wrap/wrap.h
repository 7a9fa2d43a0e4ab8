// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Form of a wrapper. CSP_WRAP makes four functions from one body: the body, inlined into all; MPI_X and PMPI_X, which
// have the short form, for a call that meets nothing on its way; and the long one, with whatever there is: a PMPI
// tool behind Casper that goes first (MPI_X only), a clock, RMA operations that have waited for others, ghosts that carry
// messages, requests of Casper's. `ways`
// are the detours (runtime/detours.h) that the function can meet besides those of any call, and in the body `by` are
// those that exist, a constant 0 in the short form; `ra` is the return address of the call. Any role, any thread; no
// state.
#ifndef CSP_WRAP_WRAP_H
#define CSP_WRAP_WRAP_H

#include "base/clock.h"
#include "p2p/p2p.h"
#include "req/req.h"
#include "rma/rma.h"
#include "runtime/detours.h"
#include "runtime/mem.h"
#include "runtime/mpi_time.h"
#include "runtime/rt.h"
#include "wrap/hooks.h"

#define CSP_EXPORT __attribute__((visibility("default")))
#define CSP_UNUSED __attribute__((unused))
#define CSP_LIST(...) __VA_ARGS__

// For functions that may be the program's first: the MPI library may have been loaded after Casper.
#define CSP_FROM_MPI(ra) (csp_mpi_load() && csp_caller_is_mpi(ra))

// Whether `way` exists for a call of the program's.
#define CSP_MEETS(way) ((by & (way)) && !csp_caller_is_mpi(ra))

#define CSP_WRAP(ways, ...) CSP_WRAP_FORM((ways) | CSP_BY_TRAIN, __VA_ARGS__)

// The same for an RMA operation, with which others can travel.
#define CSP_WRAP_OP(ways, ...) CSP_WRAP_FORM(ways, __VA_ARGS__)

#define CSP_WRAP_FORM(ways, type, field, name, params, args, ...)                                  \
    static inline __attribute__((always_inline)) type wrap_##field(                                \
        CSP_LIST params, CSP_UNUSED const void *ra, CSP_UNUSED unsigned by) __VA_ARGS__ static     \
        __attribute__((noinline)) type detour_##field(CSP_LIST params, const void *ra,             \
                                                      unsigned by)                                 \
    {                                                                                              \
        if ((by & CSP_BY_TOOL) && csp_tool.field && !csp_caller_is_mpi(ra))                        \
            return csp_tool.field args;                                                            \
        if (CSP_MEETS(CSP_BY_TRAIN))                                                               \
            csp_rma_depart();                                                                      \
        if (by & CSP_BY_CLOCK)                                                                     \
            csp_mpi_time_enter();                                                                  \
        type rc = wrap_##field(CSP_LIST args, ra, by);                                             \
        if (by & CSP_BY_CLOCK)                                                                     \
            csp_mpi_time_leave();                                                                  \
        return rc;                                                                                 \
    }                                                                                              \
    CSP_EXPORT type P##name params                                                                 \
    {                                                                                              \
        unsigned by = csp_detour(CSP_BY_CLOCK | (ways));                                           \
        return CSP_UNLIKELY(by) ? detour_##field(CSP_LIST args, CSP_RA, by)                        \
                                : wrap_##field(CSP_LIST args, CSP_RA, 0);                          \
    }                                                                                              \
    CSP_EXPORT type name params                                                                    \
    {                                                                                              \
        unsigned by = csp_detour(CSP_BY_ANY_CALL | (ways));                                        \
        return CSP_UNLIKELY(by) ? detour_##field(CSP_LIST args, CSP_RA, by)                        \
                                : wrap_##field(CSP_LIST args, CSP_RA, 0);                          \
    }

// The same for a function that any thread may call, whatever the level of thread support: no clock, and nothing else
// that is about MPI between MPI_Init and MPI_Finalize.
#define CSP_WRAP_ANY_THREAD(type, field, name, params, args, ...)                                  \
    static inline __attribute__((always_inline)) type wrap_##field(                                \
        CSP_LIST params, CSP_UNUSED const void *ra) __VA_ARGS__ CSP_EXPORT type P##name params     \
    {                                                                                              \
        return wrap_##field(CSP_LIST args, CSP_RA);                                                \
    }                                                                                              \
    CSP_EXPORT type name params                                                                    \
    {                                                                                              \
        if (CSP_UNLIKELY(csp_tool.field) && !csp_caller_is_mpi(CSP_RA))                            \
            return csp_tool.field args;                                                            \
        return wrap_##field(CSP_LIST args, CSP_RA);                                                \
    }

// The same for a function without arguments; its time is nobody's interest.
#define CSP_WRAP_VOID(type, field, name, ...)                                                      \
    static inline __attribute__((always_inline)) type wrap_##field(CSP_UNUSED const void *ra)      \
        __VA_ARGS__ CSP_EXPORT type P##name(void)                                                  \
    {                                                                                              \
        return wrap_##field(CSP_RA);                                                               \
    }                                                                                              \
    CSP_EXPORT type name(void)                                                                     \
    {                                                                                              \
        if (CSP_UNLIKELY(csp_tool.field) && !csp_caller_is_mpi(CSP_RA))                            \
            return csp_tool.field();                                                               \
        return wrap_##field(CSP_RA);                                                               \
    }

#endif
