# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What the mpi4py tests share: checks with an error count, a time limit, one exit code for all ranks."""

import os
import signal
import sys

ERRORS = 0


def check(ok, what):
    global ERRORS
    if not ok:
        ERRORS += 1
        print(f"wrong: {what}", file=sys.stderr, flush=True)


def equal(got, want, what):
    check(got == want, f"{what} is {got!r}, not {want!r}")


def users():
    """The number of ranks that the runner asked for, or None."""
    text = os.environ.get("CASPER_TEST_USERS")
    return int(text) if text else None


def start():
    signal.alarm(int(os.environ.get("CASPER_TEST_LIMIT_S", "60")))


def done(comm):
    """Sums the errors over all ranks and leaves."""
    sys.exit(1 if comm.allreduce(ERRORS) else 0)
