# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""The profile of a machine: what casper calibrate found, and which entry holds for a run.

An entry is for one deployment. Its fields in the file are described in docs/design/adaptive.md.
"""

import json
import os
from dataclasses import asdict, dataclass

from casper_cli import builds, config, files
from casper_cli.errors import CasperError

FORMAT = 1
LEARNT = ("CSP_LOW_CR", "CSP_HIGH_CR")
METHODS = ("profile", "profile_ghosts")
MOST_TIMES = {"users_per_node": 2, "nodes": 4}  # how far the nearest entry may be
NAMES = {
    "mpi": "",
    "transport": "transport ",
    "virtual": "",
    "cpu": "",
    "ghosts": "ghosts per node: ",
    "users_per_node": "users per node: ",
    "nodes": "nodes: ",
}


@dataclass(frozen=True)
class Deployment:
    """What thresholds depend on, as far as it is known before a program starts."""

    mpi: str
    transport: str
    virtual: bool  # nodes that are only acted
    cpu: str
    ghosts: int
    users_per_node: int
    nodes: int


def default_path(env):
    """CSP_PROFILE, else the user's configuration folder."""
    if env.get(builds.PROFILE_VARIABLE):
        return os.path.abspath(env[builds.PROFILE_VARIABLE])
    user = env.get("HOME") or os.path.expanduser("~")
    home = env.get("XDG_CONFIG_HOME") or os.path.join(user, ".config")
    return os.path.join(home, "casper", "profile.json")


# The file


def _wrong(path, what):
    return CasperError(
        f"{path} is no profile of casper calibrate: {what}",
        "Correct it, or delete it and run casper calibrate again.",
    )


def _is_percent(value):
    return value is None or type(value) is int and 0 <= value <= 100


def _check_entry(path, number, entry):
    if not isinstance(entry, dict):
        raise _wrong(path, f"entry {number} is not an object")
    for name, kind in Deployment.__annotations__.items():
        if type(entry.get(name)) is not kind:
            raise _wrong(path, f"entry {number}: '{name}' must be a {kind.__name__}")
        if kind is int and entry[name] < 1:
            raise _wrong(path, f"entry {number}: '{name}' must be at least 1")
    low, high = entry.get("low"), entry.get("high")
    if not _is_percent(low) or not _is_percent(high):
        raise _wrong(path, f"entry {number}: 'low' and 'high' must be whole percent, 0 to 100")
    if (low is None) != (high is None) or low is not None and low > high:
        raise _wrong(path, f"entry {number}: 'low' is {low} and 'high' is {high}")


def load(path):
    """The entries of a profile; none if there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise _wrong(path, error) from error
    if not isinstance(data, dict) or not isinstance(data.get("entries"), list):
        raise _wrong(path, "there is no list 'entries'")
    if data.get("casper_profile") != FORMAT:
        raise _wrong(path, f"'casper_profile' must be {FORMAT}")
    for number, entry in enumerate(data["entries"], 1):
        _check_entry(path, number, entry)
    return data["entries"]


def deployment_of(entry):
    return Deployment(**{name: entry[name] for name in Deployment.__annotations__})


ELSEWHERE = "Name another file with -o."


def check_writable(path):
    """An error if `store` could not write it, or would lose what is there."""
    load(path)
    files.check_writable(path, ELSEWHERE)


def store(path, deployment, found):
    """Writes an entry; one for the same deployment is replaced, others stay."""
    others = [entry for entry in load(path) if deployment_of(entry) != deployment]
    data = {"casper_profile": FORMAT, "entries": [*others, {**asdict(deployment), **found}]}
    files.replace(path, json.dumps(data, indent=1) + "\n", ELSEWHERE)


# Which entry holds


def _shown(name, value, label=None):
    if name == "virtual":
        return "virtual nodes" if value else "real nodes"
    return f"{NAMES[name] if label is None else label}{value or 'unknown'}"


def differences(entry, deployment):
    """{field: sentence} for all in which an entry is for something else."""
    mine, other = asdict(deployment), asdict(deployment_of(entry))
    return {
        name: f"{_shown(name, other[name])} instead of {_shown(name, mine[name], '')}"
        for name in mine
        if mine[name] != other[name]
    }


def _times(entry, deployment, name):
    a, b = entry[name], getattr(deployment, name)
    return max(a, b) / min(a, b)


def usable(entry, deployment):
    """Whether an entry may stand for a deployment: all is the same but for numbers of users and nodes."""
    if set(differences(entry, deployment)) - set(MOST_TIMES):
        return False
    return all(_times(entry, deployment, name) <= most for name, most in MOST_TIMES.items())


@dataclass(frozen=True)
class Match:
    """What a profile says about a deployment. number 0: nothing, `text` says why."""

    number: int  # of the entry in the file, from 1
    low: int
    high: int
    exact: bool
    text: str


def defaults():
    return tuple(int(config.variable(name)["default"]) for name in LEARNT)


def _nothing(why):
    low, high = defaults()
    return Match(0, low, high, False, f"{why}: defaults {low}, {high}")


def _why_none(entries, path, deployment):
    if not entries:
        return f"no profile ({path})"
    by_count = sorted(enumerate(entries, 1), key=lambda e: len(differences(e[1], deployment)))
    number, nearest = by_count[0]
    what = "; ".join(differences(nearest, deployment).values())
    return f"no entry of {path} fits; the nearest, {number}, is for {what}"


def match(entries, path, deployment):
    """The Match: the same deployment, else the nearest number of users per node, then of nodes."""
    fitting = [(n, e) for n, e in enumerate(entries, 1) if usable(e, deployment)]
    if not fitting:
        return _nothing(_why_none(entries, path, deployment))
    number, entry = min(fitting, key=lambda e: [_times(e[1], deployment, n) for n in MOST_TIMES])
    if entry["low"] is None:
        return _nothing(f"entry {number} of {path} found no thresholds")
    other = differences(entry, deployment)
    text = f"entry {number} of {path}: {entry['low']}, {entry['high']}"
    if other:
        text += f" (it is for {'; '.join(other.values())})"
    return Match(number, entry["low"], entry["high"], not other, text)


# For a run


def wanted(env):
    """Whether a run needs thresholds and the user has not set one."""
    method, _ = config.effective(config.variable("CSP_AUTO_METHOD"), env)
    return method.strip().lower() in METHODS and not any(name in env for name in LEARNT)


def apply(plan, path, deployment):
    """The thresholds of a profile into the variables of the ranks. Returns the Match, or None if nobody needs
    thresholds or the user has set one."""
    if not wanted({**plan.env, **plan.rank_env}):
        return None
    found = match(load(path), path, deployment)
    if found.number:
        plan.rank_env.update(zip(LEARNT, (str(found.low), str(found.high))))
    return found


def describe(entry):
    """One line for people."""
    d = deployment_of(entry)
    kind = "virtual " if d.virtual else ""
    what = "no thresholds"
    if entry["low"] is not None:
        what = f"on below {entry['low']} %, off above {entry['high']} %"
    return (
        f"{d.mpi}, {d.transport}, {d.nodes} {kind}nodes of {d.users_per_node} user(s) and {d.ghosts} "
        f"ghost(s), {d.cpu or 'unknown CPU'}: {what}"
    )
