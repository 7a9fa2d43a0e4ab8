// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "past_tool.h"
