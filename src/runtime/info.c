// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/info.h"

#include <string.h>
#include "runtime/node.h"
#include "runtime/rt.h"

int csp_info_get(MPI_Info info, const char *key, char text[CSP_INFO_VALUE_BYTES])
{
    int flag = 0;
    return info != MPI_INFO_NULL &&
           csp_mpi.Info_get(info, key, CSP_INFO_VALUE_BYTES - 1, text, &flag) == MPI_SUCCESS &&
           flag;
}

int csp_info_find(const char *const *names, const char *text, size_t bytes)
{
    for (int i = 0; names[i]; i++)
        if (strlen(names[i]) == bytes && strncmp(names[i], text, bytes) == 0)
            return i;
    return -1;
}

// FNV-1a.
static uint64_t hash(uint64_t sum, const char *text)
{
    while (*text)
        sum = (sum ^ (unsigned char)*text++) * 0x100000001b3u;
    return sum;
}

// Whether no process of this node said it, and there is room to remember that it was said now.
static int says_first(uint64_t name)
{
    for (int i = 0; i < CSP_NODE_SAID; i++) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&csp_rt.page->said[i], &there, name))
            return 1;
        if (there == name)
            return 0;
    }
    return 0;
}

void csp_info_refuse(const char *key, const char *text)
{
    uint64_t name = hash(hash(0xcbf29ce484222325u, key), text) | 1; // not 0
    if (says_first(name))
        csp_warn("info key %s: unknown value \"%s\", ignored", key, text);
}

uint32_t csp_info_choice(MPI_Info info, const char *key, const char *const *names,
                         uint32_t otherwise)
{
    char text[CSP_INFO_VALUE_BYTES];
    if (!csp_info_get(info, key, text))
        return otherwise;
    int i = csp_info_find(names, text, strlen(text));
    if (i >= 0)
        return (uint32_t)i;
    csp_info_refuse(key, text);
    return otherwise;
}
