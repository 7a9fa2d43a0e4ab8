// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "base/config_parse.h"
#include "base/nearest.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char suffixes[] = "KMGT"; // each 1024 times the one before

// At least one digit; *text moves behind the last.
static enum csp_status parse_digits(const char **text, uint64_t *value)
{
    uint64_t v = 0;
    const char *s = *text;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return CSP_ERR_ARG;
    }
    if (s == *text)
        return CSP_ERR_ARG;
    *text = s;
    *value = v;
    return CSP_OK;
}

enum csp_status csp_config_parse_int(const char *text, int64_t *value)
{
    uint64_t magnitude;
    int negative = *text == '-';
    text += negative || *text == '+';
    if (parse_digits(&text, &magnitude) || *text || magnitude > INT64_MAX)
        return CSP_ERR_ARG;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return CSP_OK;
}

enum csp_status csp_config_parse_size(const char *text, uint64_t *value)
{
    uint64_t v;
    if (parse_digits(&text, &v))
        return CSP_ERR_ARG;
    if (*text) {
        const char *suffix = strchr(suffixes, toupper((unsigned char)*text));
        if (!suffix || text[1] ||
            __builtin_mul_overflow(v, UINT64_C(1) << 10 * (suffix - suffixes + 1), &v))
            return CSP_ERR_ARG;
    }
    *value = v;
    return CSP_OK;
}

enum csp_status csp_config_parse_bool(const char *text, int *value)
{
    int index;
    if (csp_config_parse_enum(text, "0|1|off|on|no|yes|false|true", &index))
        return CSP_ERR_ARG;
    *value = index & 1;
    return CSP_OK;
}

enum csp_status csp_config_parse_enum(const char *text, const char *values, int *value)
{
    const char *item;
    int bytes;
    for (int i = 0; (item = csp_config_list_item(values, i, &bytes)); i++) {
        if (strlen(text) == (size_t)bytes && strncasecmp(text, item, (size_t)bytes) == 0) {
            *value = i;
            return CSP_OK;
        }
    }
    return CSP_ERR_ARG;
}

const char *csp_config_list_item(const char *values, int index, int *bytes)
{
    for (; index > 0 && values; index--) {
        const char *bar = strchr(values, '|');
        values = bar ? bar + 1 : NULL;
    }
    if (values)
        *bytes = (int)strcspn(values, "|");
    return values;
}

int csp_config_list_nearest(const char *values, const char *text)
{
    const char *item;
    unsigned best = UINT_MAX;
    int bytes, nearest = 0;
    for (int i = 0; (item = csp_config_list_item(values, i, &bytes)); i++) {
        unsigned d = csp_nearest_distance(text, strlen(text), item, (size_t)bytes);
        if (d < best) {
            best = d;
            nearest = i;
        }
    }
    return nearest;
}

void csp_config_format_size(uint64_t value, char *buf, unsigned buf_bytes)
{
    unsigned i = 0;
    while (value && value % 1024 == 0 && i < sizeof suffixes - 1) {
        value /= 1024;
        i++;
    }
    snprintf(buf, buf_bytes, "%" PRIu64 "%.*s", value, i > 0, suffixes + (i ? i - 1 : 0));
}
