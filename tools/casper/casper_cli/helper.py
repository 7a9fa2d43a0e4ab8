# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Runs the command's own MPI programs, which print one JSON object a line."""

import json
import os
import subprocess
import tempfile

from casper_cli import launch, ldso, mpilib, plan, runner
from casper_cli.errors import CasperError


def environment(program, mpi, env):
    """The helper is linked to the MPI that the build is for; it shall run under `mpi`."""
    linked = (p for name, p in ldso.closure(program, env).items() if mpilib.is_core_name(name))
    found = next(linked, None)
    if found and os.path.realpath(found) == mpi.real:
        return env
    folder = os.path.dirname(os.path.abspath(mpi.path))
    old = env.get("LD_LIBRARY_PATH")
    return {**env, "LD_LIBRARY_PATH": f"{folder}:{old}" if old else folder}


def _last_lines(text, count=3):
    lines = [line for line in text.splitlines() if line.strip()]
    return "; ".join(lines[-count:])


def _objects(printed):
    """One for each whole line: a job that was ended may leave half of one."""
    lines = (line.strip() for line in printed.splitlines())
    return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]


def run(options, command, env, timeout, partial=False):
    """The objects that a run prints, options as of casper run; raises CasperError if it fails.

    partial: what it printed until the time was over counts as well.
    """
    made, _ = plan.make(options, command, env)
    plan.need_virtual_nodes(made)
    job = launch.build(made)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        streams = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
        outcome = runner.run(job.words, job.environment(made.env), timeout, **streams)
        out.seek(0)
        err.seek(0)
        printed, complaints = out.read(), err.read()
    if outcome.interrupted:
        raise KeyboardInterrupt
    found = _objects(printed)
    if found and (outcome.code == 0 or partial and outcome.timed_out):
        return found
    ended = "took too long" if outcome.timed_out else f"exit code {outcome.code}"
    kind = "plain" if options.plain else "Casper"
    raise CasperError(f"{kind} run: {ended}: {_last_lines(complaints)}")
