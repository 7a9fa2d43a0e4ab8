# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Errors of the command: each names the cause and the remedy. Exit code 1; usage errors 2."""

import difflib
import sys


class CasperError(Exception):
    """Something failed: `cause` says what, `remedy` what to do about it."""

    code = 1

    def __init__(self, cause, remedy=""):
        super().__init__(cause)
        self.cause = cause
        self.remedy = remedy


class UsageError(CasperError):
    """The command line or a variable asks for something impossible."""

    code = 2


def say(level, text, remedy=""):
    """One message on stderr in the same form as the library's own."""
    print(f"casper: {level}: {text}", file=sys.stderr)
    if remedy:
        print(f"casper:   {remedy}", file=sys.stderr)


def warn(text, remedy=""):
    say("warn", text, remedy)


def nearest(word, known):
    """The known word most like `word`, or None."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None
