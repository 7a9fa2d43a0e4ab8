// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#define PMPI_NAMES
#include "past_tool.c"
