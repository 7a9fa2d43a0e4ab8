// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Reading the program's MPI_Info objects. Any thread.
#ifndef CSP_RUNTIME_INFO_H
#define CSP_RUNTIME_INFO_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { CSP_INFO_VALUE_BYTES = 64 }; // no value that Casper knows is longer

/** The value of a key. @return 1 if it is there; `info` may be MPI_INFO_NULL. */
int csp_info_get(MPI_Info info, const char *key, char text[CSP_INFO_VALUE_BYTES]);

/** Index of a text of so many bytes among `names` (the last is NULL), or -1. */
int csp_info_find(const char *const *names, const char *text, size_t bytes);

/** Warns that a value is ignored: one process of a node for all. */
void csp_info_refuse(const char *key, const char *text);

/** Value of `key` among `names`; `otherwise` without the key or, with a warning, for another value. */
uint32_t csp_info_choice(MPI_Info info, const char *key, const char *const *names,
                         uint32_t otherwise);

#endif
