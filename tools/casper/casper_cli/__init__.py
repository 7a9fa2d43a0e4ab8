# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The casper command: launches programs with ghost processes, checks the machine, explains."""

__version__ = "0.1.0"
