// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Text to value and back, for the types of config.toml. Pure functions; any role, any thread.
#ifndef CSP_BASE_CONFIG_PARSE_H
#define CSP_BASE_CONFIG_PARSE_H

#include <stdint.h>
#include "base/status.h"

/** Decimal whole number with optional sign. CSP_ERR_ARG if it is none or does not fit. */
enum csp_status csp_config_parse_int(const char *text, int64_t *value) CSP_MUST_CHECK;

/** Bytes: decimal digits, then nothing or one of K M G T (powers of 1024, either case). */
enum csp_status csp_config_parse_size(const char *text, uint64_t *value) CSP_MUST_CHECK;

/** 0 off no false -> 0; 1 on yes true -> 1; either case. */
enum csp_status csp_config_parse_bool(const char *text, int *value) CSP_MUST_CHECK;

/** Index of `text` in `values`, names separated by '|'; either case. */
enum csp_status csp_config_parse_enum(const char *text, const char *values,
                                      int *value) CSP_MUST_CHECK;

/** Number `index` of a '|' list: its start, its length in *bytes; NULL past the last. */
const char *csp_config_list_item(const char *values, int index, int *bytes);

/** Index of the item of a '|' list that is nearest to `text`. */
int csp_config_list_nearest(const char *values, const char *text);

/** "16M" for 16777216: the largest suffix that divides. */
void csp_config_format_size(uint64_t value, char *buf, unsigned buf_bytes);

#endif
