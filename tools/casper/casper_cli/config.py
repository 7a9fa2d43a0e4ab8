# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The table of Casper's variables and what the environment makes of it."""

import functools
import json
import os
import re

from casper_cli import builds
from casper_cli.errors import CasperError, nearest

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "config_table.json")
PREFIX = "CSP_"
_SUFFIXES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_BOOLS = {"0": False, "off": False, "no": False, "false": False}
_BOOLS.update({"1": True, "on": True, "yes": True, "true": True})

# Read by the command alone, never by the library.
LAUNCHER_VARIABLES = [
    {
        "name": builds.VARIABLE,
        "type": "string",
        "default": "",
        "unit": "",
        "help": "The libcasper.so that casper run preloads, instead of the build that it finds for "
        "the program's MPI library. Read by the casper command alone.",
        "source": "",
    },
    {
        "name": builds.PROFILE_VARIABLE,
        "type": "string",
        "default": "",
        "unit": "",
        "help": "The file of casper calibrate from which casper run learns CSP_LOW_CR and CSP_HIGH_CR, "
        "instead of casper/profile.json in XDG_CONFIG_HOME or ~/.config. Read by the casper command alone.",
        "source": "TPDS 7.2",
    },
]


@functools.lru_cache(maxsize=None)
def table():
    """Every variable for users, as dicts in the order of src/base/config.toml."""
    try:
        with open(TABLE, encoding="utf-8") as file:
            rows = json.load(file)["variables"]
    except (OSError, ValueError, KeyError) as error:
        raise CasperError(
            f"the table of variables cannot be read: {error}",
            "Install Casper again; in a source tree run tools/gen/config.py.",
        ) from error
    return rows


def public():
    """The variables for people: the table without internal ones, then the command's own."""
    return [row for row in table() if not row.get("internal")] + LAUNCHER_VARIABLES


def variable(name):
    return next(row for row in table() + LAUNCHER_VARIABLES if row["name"] == name)


def size_bytes(text):
    """'16M' -> bytes; None if it is not a size."""
    match = re.fullmatch(r"([0-9]+)([KMGT]?)", str(text).upper())
    return int(match.group(1)) * _SUFFIXES[match.group(2)] if match else None


def whole_number(text):
    """'-3' -> -3; None if it is not a whole number."""
    text = str(text)
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else None


def shown(value):
    """A value as it is written in the environment."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def allowed(row):
    """The values that a variable takes, for people."""
    if row["type"] in ("int", "size"):
        return f"{row['min']} to {row['max']}"
    if row["type"] == "bool":
        return "0 or 1 (off, on, no, yes, false, true)"
    return ", ".join(row.get("values", [])) or "text"


def _parse_number(row, text):
    convert = size_bytes if row["type"] == "size" else whole_number
    number = convert(text)
    if number is None:
        return None
    low, high = convert(row["min"]), convert(row["max"])
    return number if low <= number <= high else None


def parse(row, text):
    """The value of a variable from text, as src/base/config_parse.c reads it; None if it is not allowed."""
    if row["type"] in ("int", "size"):
        return _parse_number(row, text)
    if row["type"] == "bool":
        return _BOOLS.get(text.lower())
    if row["type"] == "enum":
        return text.lower() if text.lower() in row["values"] else None
    return text


def _closest(row, text):
    if row["type"] == "enum":
        found = nearest(text.lower(), row["values"])
        return f"; did you mean {found}?" if found else ""
    return ""


def effective(row, env):
    """(the value in effect as written, what is wrong with the one in the environment or "")."""
    name = row["name"]
    if name not in env:
        return shown(row["default"]), ""
    if parse(row, env[name]) is None:
        problem = f"{name}={env[name]}: must be {allowed(row)}{_closest(row, env[name])}"
        return shown(row["default"]), problem
    return env[name], ""


def unknown(env):
    """A message for each CSP_ variable that does not exist."""
    known = [row["name"] for row in table() + LAUNCHER_VARIABLES]
    messages = []
    for name in sorted(env):
        if name.startswith(PREFIX) and name not in known:
            close = nearest(name, known)
            hint = f"; did you mean {close}?" if close else ""
            messages.append(f"{name}: there is no such variable{hint}")
    return messages


def report(env):
    """(rows for people and programs, messages about wrong variables)."""
    rows, problems = [], []
    for row in public():
        value, problem = effective(row, env)
        if problem:
            problems.append(problem)
        origin = "environment" if row["name"] in env and not problem else "default"
        told = {key: row[key] for key in row if key != "internal"}
        rows.append({**told, "value": value, "origin": origin})
    return rows, problems + unknown(env)
