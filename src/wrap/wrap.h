// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Form of a wrapper. CSP_WRAP makes four functions from one body: the body, inlined into all; the same with a
// clock around it (runtime/mpi_time.h), if somebody asks for the time in MPI; PMPI_X; and MPI_X, which lets a PMPI
// tool behind Casper go first. `ra` in the body is the return address of the call. Any role, any thread; no
// state.
#ifndef CSP_WRAP_WRAP_H
#define CSP_WRAP_WRAP_H

#include "base/clock.h"
#include "p2p/p2p.h"
#include "req/req.h"
#include "rma/rma.h"
#include "runtime/mpi_time.h"
#include "runtime/rt.h"
#include "wrap/hooks.h"

#define CSP_EXPORT __attribute__((visibility("default")))
#define CSP_TIMED static __attribute__((noinline, cold))
#define CSP_LIST(...) __VA_ARGS__

// For functions that may be the program's first: the MPI library may have been loaded after Casper.
#define CSP_FROM_MPI(ra) (csp_mpi_load() && csp_caller_is_mpi(ra))

// Whether ghosts may carry the messages of a call.
#define CSP_P2P_MINE(ra) (CSP_UNLIKELY(csp_p2p_on) && !csp_caller_is_mpi(ra))

// Whether requests may be Casper's.
#define CSP_REQ_MINE(ra)                                                                           \
    (CSP_UNLIKELY(atomic_load_explicit(&csp_req_on, memory_order_relaxed)) &&                      \
     !csp_caller_is_mpi(ra))

#define CSP_WRAP(type, field, name, params, args, ...)                                             \
    static inline __attribute__((always_inline)) type wrap_##field(                                \
        __attribute__((unused)) const void *ra, CSP_LIST params)                                   \
        __VA_ARGS__ CSP_TIMED type timed_##field(const void *ra, CSP_LIST params)                  \
    {                                                                                              \
        csp_mpi_time_enter();                                                                      \
        type rc = wrap_##field(ra, CSP_LIST args);                                                 \
        csp_mpi_time_leave();                                                                      \
        return rc;                                                                                 \
    }                                                                                              \
    CSP_EXPORT type P##name params                                                                 \
    {                                                                                              \
        if (CSP_UNLIKELY(csp_mpi_time))                                                            \
            return timed_##field(CSP_RA, CSP_LIST args);                                           \
        return wrap_##field(CSP_RA, CSP_LIST args);                                                \
    }                                                                                              \
    CSP_EXPORT type name params                                                                    \
    {                                                                                              \
        if (CSP_UNLIKELY(csp_tool.field) && !csp_caller_is_mpi(CSP_RA))                            \
            return csp_tool.field args;                                                            \
        if (CSP_UNLIKELY(csp_mpi_time))                                                            \
            return timed_##field(CSP_RA, CSP_LIST args);                                           \
        return wrap_##field(CSP_RA, CSP_LIST args);                                                \
    }

// The same for a function without arguments; its time is nobody's interest.
#define CSP_WRAP_VOID(type, field, name, ...)                                                      \
    static inline __attribute__((always_inline)) type wrap_##field(                                \
        __attribute__((unused)) const void *ra) __VA_ARGS__ CSP_EXPORT type P##name(void)          \
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
