// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The parser is driven by config_table.inc; nothing here knows a variable by name but CSP_LOG.
#include "base/config.h"
#include "base/config_parse.h"
#include "base/log.h"
#include "base/nearest.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_INT, KIND_SIZE, KIND_BOOL, KIND_ENUM, KIND_STRING };

struct variable {
    const char *name;
    enum kind kind;
    size_t field_off;   // in struct csp_config
    int64_t min, max;   // KIND_INT, KIND_SIZE
    const char *values; // KIND_ENUM: separated by '|'
};

#define ROW(field, name, kind, min, max, values)                                                   \
    {name, kind, offsetof(struct csp_config, field), min, max, values},
static const struct variable variables[] = {
#define CSP_CONFIG_INT(field, name, def, min, max, ...) ROW(field, name, KIND_INT, min, max, NULL)
#define CSP_CONFIG_SIZE(field, name, def, min, max, ...) ROW(field, name, KIND_SIZE, min, max, NULL)
#define CSP_CONFIG_BOOL(field, name, ...) ROW(field, name, KIND_BOOL, 0, 0, NULL)
#define CSP_CONFIG_ENUM(field, name, def, values, ...) ROW(field, name, KIND_ENUM, 0, 0, values)
#define CSP_CONFIG_STRING(field, name, ...) ROW(field, name, KIND_STRING, 0, 0, NULL)
#include "base/config_table.inc"
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static const char *const sames[] = {
#define CSP_CONFIG_SAME(name) name,
#include "base/config_table.inc"
};

// Twice the same initialiser: C has no way to initialise one object from another.
#define CSP_CONFIG_INT(field, name, def, ...) .field = def,
#define CSP_CONFIG_SIZE(field, name, def, ...) .field = def,
#define CSP_CONFIG_BOOL(field, name, def, ...) .field = def,
#define CSP_CONFIG_ENUM(field, name, def, ...) .field = def,
#define CSP_CONFIG_STRING(field, name, def, ...) .field = def,
static const struct csp_config defaults = {
#include "base/config_table.inc"
};
#define CSP_CONFIG_INT(field, name, def, ...) .field = def,
#define CSP_CONFIG_SIZE(field, name, def, ...) .field = def,
#define CSP_CONFIG_BOOL(field, name, def, ...) .field = def,
#define CSP_CONFIG_ENUM(field, name, def, ...) .field = def,
#define CSP_CONFIG_STRING(field, name, def, ...) .field = def,
struct csp_config csp_config = {
#include "base/config_table.inc"
};

_Static_assert((int)CSP_CONFIG_LOG_ERROR == (int)CSP_LOG_ERROR &&
                   (int)CSP_CONFIG_LOG_DEBUG == (int)CSP_LOG_DEBUG,
               "CSP_LOG lists the levels of log.h in their order");

static void *field_of(struct csp_config *config, const struct variable *var)
{
    return (char *)config + var->field_off;
}

static const struct variable *find(const char *name, size_t name_bytes)
{
    for (unsigned i = 0; i < VARIABLES; i++)
        if (strlen(variables[i].name) == name_bytes &&
            memcmp(variables[i].name, name, name_bytes) == 0)
            return &variables[i];
    return NULL;
}

static const char *nearest_name(const char *name, size_t name_bytes)
{
    unsigned best = UINT_MAX;
    const char *nearest = "";
    for (unsigned i = 0; i < VARIABLES; i++) {
        const char *other = variables[i].name;
        unsigned d = csp_nearest_distance(name, name_bytes, other, strlen(other));
        if (d < best) {
            best = d;
            nearest = other;
        }
    }
    return nearest;
}

static enum csp_status set_int(const struct variable *var, const char *text, int64_t *field)
{
    int64_t v;
    if (csp_config_parse_int(text, &v) || v < var->min || v > var->max)
        return CSP_ERR_ARG;
    *field = v;
    return CSP_OK;
}

static enum csp_status set_size(const struct variable *var, const char *text, uint64_t *field)
{
    uint64_t v;
    if (csp_config_parse_size(text, &v) || v < (uint64_t)var->min || v > (uint64_t)var->max)
        return CSP_ERR_ARG;
    *field = v;
    return CSP_OK;
}

static enum csp_status set_string(const char *text, const char **field)
{
    char *copy = strdup(text); // the program may change its environment later
    if (!copy)
        return CSP_ERR_NOMEM;
    *field = copy;
    return CSP_OK;
}

static enum csp_status set(const struct variable *var, const char *text)
{
    void *field = field_of(&csp_config, var);
    switch (var->kind) {
    case KIND_INT:
        return set_int(var, text, field);
    case KIND_SIZE:
        return set_size(var, text, field);
    case KIND_BOOL:
        return csp_config_parse_bool(text, field);
    case KIND_ENUM:
        return csp_config_parse_enum(text, var->values, field);
    case KIND_STRING:
        return set_string(text, field);
    }
    return CSP_ERR_ARG;
}

// What would have been right, with the value nearest to what was given.
static void describe_number(const struct variable *var, const char *text, char *buf, unsigned bytes)
{
    int64_t v = 0;
    uint64_t u = 0;
    char lo[24], hi[24];
    int is_size = var->kind == KIND_SIZE, known, low;
    if (is_size) {
        csp_config_format_size((uint64_t)var->min, lo, sizeof lo);
        csp_config_format_size((uint64_t)var->max, hi, sizeof hi);
        known = csp_config_parse_size(text, &u) == CSP_OK;
        low = u < (uint64_t)var->min;
    } else {
        snprintf(lo, sizeof lo, "%" PRId64, var->min);
        snprintf(hi, sizeof hi, "%" PRId64, var->max);
        known = csp_config_parse_int(text, &v) == CSP_OK;
        low = v < var->min;
    }
    snprintf(buf, bytes, "not a %s from %s to %s%s%s",
             is_size ? "size in bytes (suffixes K, M, G, T)" : "whole number", lo, hi,
             known ? "; nearest: " : "",
             !known ? ""
             : low  ? lo
                    : hi);
}

static void describe_list(const char *what, const char *values, const char *text, char *buf,
                          unsigned bytes)
{
    int item_bytes;
    const char *item =
        csp_config_list_item(values, csp_config_list_nearest(values, text), &item_bytes);
    snprintf(buf, bytes, "not %s%s; nearest: %.*s", what, values, item_bytes, item);
}

static void report_value(const struct variable *var, const char *text)
{
    char reason[512] = "cannot be stored";
    if (var->kind == KIND_INT || var->kind == KIND_SIZE)
        describe_number(var, text, reason, sizeof reason);
    else if (var->kind == KIND_BOOL)
        describe_list("one of ", "0|1|off|on|no|yes|false|true", text, reason, sizeof reason);
    else if (var->kind == KIND_ENUM)
        describe_list("one of ", var->values, text, reason, sizeof reason);
    char used[128];
    csp_config_format((unsigned)(var - variables), used, sizeof used);
    csp_error("%s=%s: %s (in force: %s)", var->name, text, reason, used);
}

static void free_strings(void)
{
    for (unsigned i = 0; i < VARIABLES; i++) {
        if (variables[i].kind != KIND_STRING)
            continue;
        const char **field = field_of(&csp_config, &variables[i]);
        const char *const *initial =
            (const char *const *)((const char *)&defaults + variables[i].field_off);
        if (*field != *initial)
            free((char *)(uintptr_t)*field);
        *field = *initial;
    }
}

// One "NAME=value" of the environment that starts with CSP_.
static enum csp_status load_entry(const char *entry, char *seen, int report)
{
    const char *equals = strchr(entry, '=');
    size_t name_bytes = (size_t)(equals - entry);
    const struct variable *var = find(entry, name_bytes);
    if (!var) {
        if (report)
            csp_error("unknown variable %.*s; nearest: %s", (int)name_bytes, entry,
                      nearest_name(entry, name_bytes));
        return CSP_ERR_ARG;
    }
    if (seen[var - variables]++) // as getenv: the first counts
        return CSP_OK;
    enum csp_status status = set(var, equals + 1);
    if (status && report)
        report_value(var, equals + 1);
    return status;
}

// Each is in its range.
static enum csp_status check_pairs(int report)
{
    if (csp_config.low_cr <= csp_config.high_cr)
        return CSP_OK;
    if (report)
        csp_error("CSP_LOW_CR=%ld is above CSP_HIGH_CR=%ld", (long)csp_config.low_cr,
                  (long)csp_config.high_cr);
    return CSP_ERR_ARG;
}

enum csp_status csp_config_load(char *const *environ_, int report)
{
    char seen[VARIABLES] = {0};
    enum csp_status status = CSP_OK;
    free_strings();
    csp_config = defaults;
    for (; *environ_; environ_++)
        if (strncmp(*environ_, "CSP_", 4) == 0 && strchr(*environ_, '='))
            if (load_entry(*environ_, seen, report))
                status = CSP_ERR_ARG;
    if (check_pairs(report))
        status = CSP_ERR_ARG;
    csp_log_level = (enum csp_log_level)csp_config.log;
    return status;
}

static int64_t number_in(const struct variable *var)
{
    const void *field = field_of(&csp_config, var);
    return var->kind == KIND_INT    ? *(const int64_t *)field
           : var->kind == KIND_SIZE ? (int64_t)*(const uint64_t *)field
                                    : *(const int *)field;
}

// Of a variable that is no string.
static void format_number(const struct variable *var, int64_t value, char *buf, unsigned buf_bytes)
{
    int item_bytes;
    if (var->kind == KIND_SIZE) {
        csp_config_format_size((uint64_t)value, buf, buf_bytes);
    } else if (var->kind == KIND_ENUM) {
        const char *item = csp_config_list_item(var->values, (int)value, &item_bytes);
        snprintf(buf, buf_bytes, "%.*s", item_bytes, item);
    } else {
        snprintf(buf, buf_bytes, "%" PRId64, value);
    }
}

int64_t csp_config_same(unsigned i)
{
    return number_in(find(sames[i], strlen(sames[i])));
}

const char *csp_config_same_format(unsigned i, int64_t value, char *buf, unsigned buf_bytes)
{
    format_number(find(sames[i], strlen(sames[i])), value, buf, buf_bytes);
    return sames[i];
}

int csp_config_format(unsigned i, char *buf, unsigned buf_bytes)
{
    if (i >= VARIABLES)
        return 0;
    const struct variable *var = &variables[i];
    char text[64];
    const char *value = text;
    if (var->kind == KIND_STRING)
        value = *(const char *const *)field_of(&csp_config, var);
    else
        format_number(var, number_in(var), text, sizeof text);
    snprintf(buf, buf_bytes, "%s=%s", var->name, value);
    return 1;
}
