// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The same with a PMPI name, as Darshan has.
#include "past_tool.h"

API int PMPI_Init(int *argc, char ***argv) __attribute__((alias("MPI_Init")));
