#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Random RMA programs: windows of every kind, epochs, operations, datatypes, redirection
switched on and off meanwhile; each compared with a serial model and, by a digest of the final memory,
with the plain library. rma_random/ has the program.

A seed that goes wrong under Casper and not plain is shrunk to a minimal program, which is printed
with the command that repeats it. Seeds that go wrong plain are named apart. What a plain library is
known to do wrong is left out of its programs: rma_random/known_plain.txt, with the evidence.
"""

import sys

from _seeds import Plan, Tester, main

AUTO = {"CSP_ASYNC_CONFIG": "auto", "CSP_AUTO_METHOD": "alternate"}
PROFILE = {
    "CSP_ASYNC_CONFIG": "auto",
    "CSP_AUTO_METHOD": "profile_ghosts",
    "CSP_PREDICT_INT": "300",
    "CSP_GSYNC_INT": "500",
}
# Where operations and memory go that the defaults send another way.
BY_MEMORY = {"CSP_ACC_GHOST": "segment", "CSP_PUTGET_GHOST": "operations"}
NO_POOL = {"CSP_POOL_MAX": "0"}
BY_LIBRARY = {"CSP_ACC_ROUTE": "library", "CSP_CONFIRM_PUT": "on"}
BY_SOFTWARE = {"CSP_ACC_ROUTE": "software", "CSP_PUTGET_GHOST": "bytes"}
PLAN = Plan(
    Tester(
        "rma_random", ("window", "round", "action"), differs="other memory at the end than plain"
    ),
    {"puts": (": put", 1), "sums": (" SUM ", 1)},
    [(1, {}), (1, AUTO)],
    [(2, {}), (0, {}), (2, AUTO), (3, AUTO), (1, PROFILE), (2, PROFILE)]
    + [
        (2, BY_MEMORY),
        (1, NO_POOL),
        (2, NO_POOL),
        (1, BY_LIBRARY),
        (1, BY_SOFTWARE),
        (2, BY_SOFTWARE),
    ],
    ("m50", "m40", "o50", "i21", "o41"),
    plain=(AUTO, PROFILE, BY_LIBRARY),
    faulty=("o50", "o41"),
)

if __name__ == "__main__":
    sys.exit(main(__doc__, PLAN))
