// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Configuration: the one table of CSP_* variables. Read once in MPI_Init, constant afterwards; any
// role. The table is src/base/config.toml; config_table.inc, the documentation and the launcher's
// copy are generated from it, so a default stands nowhere else.
#ifndef CSP_BASE_CONFIG_H
#define CSP_BASE_CONFIG_H

#include <stdint.h>
#include "base/status.h"

// Types: int (range), size (bytes; K, M, G, T suffixes), bool (0/1/on/off/yes/no/true/false), enum,
// string. One field for each variable, named as the variable without CSP_, in lower case.
struct csp_config {
#define CSP_CONFIG_INT(field, ...) int64_t field;
#define CSP_CONFIG_SIZE(field, ...) uint64_t field;
#define CSP_CONFIG_BOOL(field, ...) int field;
#define CSP_CONFIG_ENUM(field, ...) int field; // index into the list of values
#define CSP_CONFIG_STRING(field, ...) const char *field;
#include "base/config_table.inc"
};

// Values of the enum variables: CSP_CONFIG_GHOST_POLL_SPIN for "spin" of CSP_GHOST_POLL.
enum csp_config_value {
#define CSP_CONFIG_VALUE(name, index) CSP_CONFIG_##name = index,
#include "base/config_table.inc"
};

extern struct csp_config csp_config; // the defaults until csp_config_load

/**
 * Reads every CSP_* variable of the environment into csp_config. Each unknown variable and each bad
 * value gets one line on stderr that names it and the nearest valid one (if `report`); the bad
 * value is not used. @return CSP_OK, or CSP_ERR_ARG if anything was wrong.
 */
enum csp_status csp_config_load(char *const *environ_, int report) CSP_MUST_CHECK;

/** Number of variables that must be the same in all processes. */
enum {
    CSP_CONFIG_SAMES = 0
#define CSP_CONFIG_SAME(name) +1
#include "base/config_table.inc"
};

/** The effective value of number i of them: an enum's index, a bool's 0 or 1. */
int64_t csp_config_same(unsigned i);

/** Its name, and `value` formatted into buf. */
const char *csp_config_same_format(unsigned i, int64_t value, char *buf, unsigned buf_bytes);

/** Formats the effective value of variable number i ("CSP_NG=1"); returns 0 past the last. */
int csp_config_format(unsigned i, char *buf, unsigned buf_bytes);

#endif
