# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The casper command: launches programs with ghost processes, checks the machine, explains."""

import sys

if sys.version_info < (3, 7):  # noqa: UP036 (the system's may be older; this file has nothing that is newer)
    sys.exit("casper: error: needs Python 3.7 or later, this is " + sys.version.split()[0])

__version__ = "0.1.0"
