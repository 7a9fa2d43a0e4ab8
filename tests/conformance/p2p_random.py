#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Random programs of sends and receives: communicators, modes, wildcards, probes, datatypes, sizes around
every threshold, persistent and freed requests, threads; data, statuses and errors checked, the log of who
got what compared with a serial model of matching (_matching.py), and with the plain library by a digest.
p2p_random/ has the program.

A seed that goes wrong under Casper and not plain is shrunk to a minimal program, which is printed
with the command that repeats it. Seeds that go wrong plain are named apart. What a plain library is
known to do wrong is left out of its programs: p2p_random/known_plain.txt, with the evidence.
"""

import sys

import _matching
from _seeds import Plan, Tester, main

ON, OFF = {"CSP_P2P": "on"}, {"CSP_P2P": "off"}
AUTO = {"CSP_P2P": "auto", "CSP_P2P_METHOD": "alternate"}
PLAN = Plan(
    Tester(
        "p2p_random",
        ("phase", "pool", "message"),
        _matching.judge,
        checks=("isendrecv_later", "get_status"),
    ),
    {"data": (r" to \d+ tag ", 4), "order": (r" to \d+ tag ", 2)},
    [(1, ON), (1, AUTO)],
    [(2, ON), (2, AUTO), (1, OFF)],
    ("m50", "m40", "o50"),
    (6, 60),
    (AUTO, OFF),
)

if __name__ == "__main__":
    sys.exit(main(__doc__, PLAN))
