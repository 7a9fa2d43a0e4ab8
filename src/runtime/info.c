// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/info.h"

#include <string.h>
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

uint32_t csp_info_choice(MPI_Info info, const char *key, const char *const *names,
                         uint32_t otherwise)
{
    char text[CSP_INFO_VALUE_BYTES];
    if (!csp_info_get(info, key, text))
        return otherwise;
    int i = csp_info_find(names, text, strlen(text));
    if (i >= 0)
        return (uint32_t)i;
    csp_warn("info key %s: unknown value \"%s\", ignored", key, text);
    return otherwise;
}
