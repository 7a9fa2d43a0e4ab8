# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""casper config: the variables, the profile, and what of it would hold for a run."""

import json
import textwrap

from casper_cli import config, plan, profiles, transport
from casper_cli.errors import CasperError, warn


def _print_rows(rows, brief):
    for row in rows:
        mark = {"environment": "*", "profile": "+"}.get(row["origin"], " ")
        print(f"{mark} {row['name']}={row['value']}")
        if brief:
            continue
        facts = [
            row["type"],
            config.allowed(row),
            row.get("unit", ""),
            f"default {config.shown(row['default'])}",
        ]
        if row["default"] == "":
            facts[-1] = "default empty"
        print("      " + "; ".join(fact for fact in facts if fact))
        text = row["help"] + (f" [{row['source']}]" if row.get("source") else "")
        print(textwrap.fill(text, 96, initial_indent="      ", subsequent_indent="      "))


def profile_report(args, env):
    """(what --json tells of the profile, problems, the Match for a run with these options or None)."""
    path = profiles.default_path(env)
    try:
        entries = profiles.load(path)
    except CasperError as error:
        return {"path": path, "entries": [], "run": None}, [f"{error.cause}. {error.remedy}"], None
    kept = ("low", "high", *profiles.Deployment.__annotations__)
    told = {"path": path, "entries": [{k: e[k] for k in kept} for e in entries], "run": None}
    if args.users is None:
        return told, [], None
    made, _ = plan.make(args, [], env)
    found = profiles.match(entries, path, transport.deployment(made))
    told["run"] = {"entry": found.number, "low": found.low, "high": found.high, "text": found.text}
    return told, [], found


def learn(rows, found, env):
    """The rows as they would be in a run that an entry holds for."""
    if found is None or not found.number or not profiles.wanted(env):
        return rows
    values = dict(zip(profiles.LEARNT, (str(found.low), str(found.high))))
    return [
        {**row, "value": values[row["name"]], "origin": "profile"} if row["name"] in values else row
        for row in rows
    ]


def _print_profile(told, env):
    path, entries = told["path"], told["entries"]
    low, high = profiles.defaults()
    if not entries:
        print(f"\nno profile ({path}): defaults {low}, {high}")
    else:
        print(f"\nprofile {path} (CSP_AUTO_METHOD=profile, profile_ghosts)")
    for number, entry in enumerate(entries, 1):
        print(f"  {number}: {profiles.describe(entry)}")
    if told["run"]:
        print(f"for this run: {told['run']['text']}")
    elif entries:
        print("  which one a run gets: casper config -n USERS ..., with the options of casper run")
    if any(name in env for name in profiles.LEARNT):
        print("not used: CSP_LOW_CR or CSP_HIGH_CR is set in the environment")


def run(args, env):
    """casper config: exit code 1 if the environment or the profile is wrong."""
    rows, problems = config.report(env)
    told, wrong, found = profile_report(args, env)
    rows, problems = learn(rows, found, env), problems + wrong
    if args.json:
        print(json.dumps({"variables": rows, "profile": told, "problems": problems}, indent=2))
    else:
        _print_rows(rows, args.brief)
        print(
            "\n* set in the environment"
            + ("; + from the profile" if any(r["origin"] == "profile" for r in rows) else "")
        )
        _print_profile(told, env)
    for problem in problems:
        warn(problem)
    return 1 if problems else 0
