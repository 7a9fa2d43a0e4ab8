# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""casper run and casper env."""

import shlex
import sys

from casper_cli import config, explain, launch, placement, plan, runner
from casper_cli.errors import CasperError, UsageError, say, warn


def describe(made, choice):
    """Lines that say what was chosen and why."""
    where = made.placement
    per_node = ", ".join(map(str, where.users))
    kinds = {placement.LOCAL: "this machine", placement.VIRTUAL: "virtual, on this machine"}
    lines = [
        f"MPI library  {choice.mpi.name}, {choice.mpi.path} ({choice.how})",
        f"Casper       {choice.build.path if choice.build else 'not loaded (--plain)'}",
        f"ranks        {where.total} = {where.nusers} users + {where.ghosts} ghosts on each of "
        f"{where.nodes} node(s), {kinds.get(where.kind, where.kind)}; users by node: {per_node}",
        f"binding      {made.binding or 'as the launcher does'}",
    ]
    if made.thresholds:
        lines.append(f"thresholds   {made.thresholds.text}")
    return lines


def say_thresholds(made):
    """Those of a profile: a warning unless an entry is for just this run."""
    found = made.thresholds
    if found is None:
        return
    text = f"CSP_LOW_CR, CSP_HIGH_CR: {found.text}"
    level, _ = config.effective(config.variable("CSP_LOG"), {**made.env, **made.rank_env})
    if not found.exact:
        warn(
            text,
            "casper calibrate measures them for a run like this one; setting them silences this.",
        )
    elif level in ("info", "debug"):
        say("info", text)


def prepare(args, env):
    """(Plan, Choice, Command) of casper run."""
    made, choice = plan.make(args, args.command, env)
    return made, choice, launch.build(made)


def run(args, env):
    """casper run: the exit code of the program."""
    if not args.command:
        raise UsageError("no program given", "casper run -n USERS [options] [--] PROGRAM ARGS")
    if ":" in args.command:
        raise UsageError(
            "`:` would start several programs in one job, which casper run does not do",
            "casper env shows the variables, for an mpiexec by hand.",
        )
    made, choice, command = prepare(args, env)
    if args.dry_run or args.verbose:
        for line in describe(made, choice):
            print(f"casper: {line}", file=sys.stderr)
    if args.dry_run:
        print(command.shell())
        return 0
    say_thresholds(made)
    plan.need_virtual_nodes(made)
    if args.verbose:
        print(f"casper: {command.shell()}", file=sys.stderr)
    sys.stdout.flush()
    outcome = runner.run(command.words, command.environment(made.env), args.timeout)
    if outcome.code:
        what, hint = explain.explain(outcome, made.launcher, made.placement.ghosts)
        say("error", what, hint)
    return outcome.code


def show_env(args, env):
    """casper env: shell lines to set by hand, and how many ranks to start."""
    made, choice = plan.make(args, args.command, env, by_hand=True)
    where = made.placement
    for line in describe(made, choice):
        print(f"# {line}")
    sizes = sorted(set(where.ranks))
    each = f"{sizes[0]} on every node" if len(sizes) == 1 else ", ".join(map(str, where.ranks))
    print(f"# Start {where.total} ranks, {each}, in blocks; the lowest of each node are ghosts.")
    print("# LD_PRELOAD is for the ranks: best given by the launcher (-genv, -x, --export).")
    for name, value in {**made.changes, **made.rank_env}.items():
        if name == "CSP_USERS":  # it would hold for this -n alone
            continue
        print(f"unset {name}" if value is None else f"export {name}={shlex.quote(value)}")
    if args.command:
        print(f"# {launcher_line(made)}")
    return 0


def launcher_line(made):
    """The command that starts it, or why there is none."""
    if ":" in made.command:
        return (
            "no command for several programs: -n is the users of all, and each node starts its ghosts "
            "on top, as its lowest ranks, of whichever program"
        )
    if made.no_launcher:
        return f"no command: {made.no_launcher}"
    try:
        return launch.build(made).shell()
    except CasperError as error:
        return f"no command: {error.cause}"
