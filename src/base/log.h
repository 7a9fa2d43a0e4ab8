// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Messages on stderr and checks. Any role, any thread. One line a message:
//   casper: <level>: [urank 3 | ghost 0 on node 1] <text>
// Levels by CSP_LOG (error, warn, info, debug); error and warn are on by default.
#ifndef CSP_BASE_LOG_H
#define CSP_BASE_LOG_H

enum csp_log_level { CSP_LOG_ERROR = 0, CSP_LOG_WARN, CSP_LOG_INFO, CSP_LOG_DEBUG };

extern enum csp_log_level csp_log_level;

/** Who speaks, e.g. "urank 3"; copied, at most 63 characters. Empty until set. */
void csp_log_set_who(const char *who);

__attribute__((format(printf, 2, 3))) void csp_log_print(enum csp_log_level level, const char *fmt,
                                                         ...);
__attribute__((format(printf, 3, 4), noreturn)) void csp_log_die(const char *file, int line,
                                                                 const char *fmt, ...);

#define csp_error(...) csp_log_print(CSP_LOG_ERROR, __VA_ARGS__)
#define csp_warn(...) csp_log_print(CSP_LOG_WARN, __VA_ARGS__)
#define csp_info(...)                                                                              \
    do {                                                                                           \
        if (csp_log_level >= CSP_LOG_INFO)                                                         \
            csp_log_print(CSP_LOG_INFO, __VA_ARGS__);                                              \
    } while (0)
#define csp_debug(...)                                                                             \
    do {                                                                                           \
        if (csp_log_level >= CSP_LOG_DEBUG)                                                        \
            csp_log_print(CSP_LOG_DEBUG, __VA_ARGS__);                                             \
    } while (0)

// Data that calls look at: reached directly, not by an address looked up.
#define CSP_INTERNAL __attribute__((visibility("hidden")))

#define CSP_LIKELY(x) __builtin_expect(!!(x), 1)
#define CSP_UNLIKELY(x) __builtin_expect(!!(x), 0)

// Always on: a broken invariant ends the process (csp_log_die calls the hook below, then abort()).
#define CSP_CHECK(cond, ...)                                                                       \
    do {                                                                                           \
        if (CSP_UNLIKELY(!(cond)))                                                                 \
            csp_log_die(__FILE__, __LINE__, __VA_ARGS__);                                          \
    } while (0)

#ifdef CSP_DEBUG
#define CSP_ASSERT(cond) CSP_CHECK(cond, "assertion failed: %s", #cond)
#else
#define CSP_ASSERT(cond) ((void)sizeof(cond))
#endif

/** Called by csp_log_die before abort(); the runtime sets it to end the whole job. May be NULL. */
extern void (*csp_log_die_hook)(void);

#endif
