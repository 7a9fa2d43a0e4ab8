#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""MPICH's own test suite with ghosts: every test that passes plain must pass, by the suite's own rules.

The suite comes from Debian's source package of MPICH and is built for each MPI library. A test that fails
is run plain right after: mpich/known.txt lists what the plain library does not pass.
"""

from __future__ import annotations

import argparse
import fnmatch
import re
import signal
import sys
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

import _foreign
import _mpich_source as suite
import mpi_libs
import run_mpi
from _foreign import Failure, Skip

KNOWN = _foreign.HERE / "mpich/known.txt"
FOLDERS = (
    "rma errors threads f77 f90 f08 attr comm group init errhan info topo pt2pt coll datatype part"
)
# One test of most kinds of window, epoch, operation and handle: a minute, and as long to build them once.
QUICK = r"""(rma/(winname|putfidx|accfence2|getgroup|transpose[357]|test[14]|lockcontention|lockopts|
    fetchandadd|wintest|contig_displ|nullpscw|selfrma|rmanull|rmazero|strided_putget_indexed|put_base|
    win_flavors|win_shared|win_dynamic_acc|linked_list|compare_and_swap|fetch_and_op_(char|double)|
    get_accumulate_int|get_accumulate_double_derived|flush|reqops|win_info|pscw_ordering|mutex_bench)|
    errors/rma/(winerr|win_sync_(unlock|complete|lock_fence|nested|op))|errors/comm/(cfree|subcomm_abort)|
    attr/(attrt|attric|baseattr2|baseattrcomm|keyval_double_free_win)|comm/(dup|commname|cmsplit)|
    group/(groupcreate|gtranks)|init/(exitst1|finalized)|threads/rma/multirma)$"""
# Likewise of most kinds of sends and receives, with ghosts that carry them (CSP_P2P).
QUICK_P2P = r"""(pt2pt/(sendrecv[12]|bsend[124]|probe-unexp|mprobe|isendselfprobe|cancelrecv|rqstatus|
    rqfreeb|waittestnull|waitany-null|inactivereq|persist_ssend|sendall|scancel|truncmsg|isendirecv)|
    comm/(dupic|icgroup)|errors/pt2pt/(truncmsg[12]|errinstatts|proberank)|
    threads/pt2pt/(alltoall|multisend2))$"""
RMA = r"(.*/)?rma/"
P2P = r"(comm|coll|topo|part)/|(.*/)?pt2pt/"
DEFAULT_LIMIT_S, LONGEST_LIMIT_S = 180, 300
LIBRARIES = ("m40", "m50", "o50", "o41")
PLAIN_TRIES = 3
# What the suite's runtests lets pass in the output of a test.
HARMLESS = re.compile(r"\s*(No [Ee]rrors|Test Passed|.*FORTRAN STOP.*)?\s*")


@dataclass
class Setting:
    """Where the suite runs."""

    lib: mpi_libs.Library
    ghosts: int
    nodes: int
    tests: str = ""  # pattern
    p2p: bool = False  # ghosts carry sends and receives

    @property
    def name(self) -> str:
        return f"{self.lib.name} {self.ghosts} ghosts {self.nodes} nodes" + " p2p" * self.p2p


def job(setting: Setting, line: suite.Line, ghosts: int | None) -> run_mpi.Job:
    wants_failure = "resultTest" in line.keys
    limit_s = int(line.keys.get("timeLimit", DEFAULT_LIMIT_S))
    lib = replace(setting.lib, options=[*setting.lib.options, *line.options])
    env = dict(line.env)
    if setting.p2p and ghosts is not None:
        env["CSP_P2P"] = "on"
    if wants_failure:  # the program may wait until mpiexec ends it
        env["MPIEXEC_TIMEOUT"] = str(limit_s)
    return run_mpi.Job(
        lib,
        suite.SUITE / lib.name / line.test,
        line.np,
        ghosts,
        setting.nodes,
        args=line.args,
        env=env,
        timeout=min(LONGEST_LIMIT_S, max(DEFAULT_LIMIT_S, limit_s + 30 * wants_failure)),
        exit_code=-1 if wants_failure else 0,
    )


def attempt(setting: Setting, line: suite.Line, ghosts: int | None) -> tuple[str, run_mpi.Result]:
    """Runs a test: why it fails by the rules of the suite's runtests, or the empty string."""
    result = run_mpi.run(job(setting, line, ghosts))
    if result.status != "passed":
        return result.reason, result
    if "resultTest" in line.keys:
        return "", result
    odd = next((text for text in result.output.splitlines() if not HARMLESS.fullmatch(text)), "")
    if odd:
        return f"unexpected output: {odd.strip()[:100]}", result
    done = re.search(r"^\s*No [Ee]rrors\s*$", result.output, re.M)
    return "" if done else "no 'No Errors' in the output", result


def known(setting: Setting, line: suite.Line) -> str:
    """The evidence that the plain library does not pass it, or the empty string."""
    here = (setting.lib.name, str(setting.nodes), line.test)
    for words in _foreign.table(KNOWN, 4):
        if all(fnmatch.fnmatchcase(value, pattern) for value, pattern in zip(here, words)):
            return words[3]
    return ""


def plain_fails(setting: Setting, line: suite.Line, tries: int) -> str:
    """What the plain library says to the same test, now."""
    for _ in range(tries):
        why, _ = attempt(setting, line, None)
        if why:
            return why
    return ""


def compare(setting: Setting, line: suite.Line) -> str:
    """One test with ghosts, and plain if it fails."""
    why, result = attempt(setting, line, setting.ghosts)
    if not why:
        return f"{result.seconds:.1f} s"
    plain = plain_fails(setting, line, PLAIN_TRIES)
    evidence = known(setting, line)
    if plain and evidence:
        raise Skip(f"the plain library fails too: {evidence}")
    if plain:
        raise Failure(f"{why}; the plain library, not known to fail: {plain}")
    raise Failure(f"{why}; plain passes\n{_foreign.last_lines(result.output)}")


def only_plain(setting: Setting, line: suite.Line) -> str:
    """For known.txt: the plain library alone."""
    why, result = attempt(setting, line, None)
    if why:
        raise Failure(f"{why}\n{_foreign.last_lines(result.output, 8)}")
    return f"{result.seconds:.1f} s"


def settings(opts: argparse.Namespace) -> list[tuple[str, int, int, str, bool]]:
    """All tests on every library; those of RMA with other numbers of ghosts and nodes too, and those of
    sends and receives with ghosts that carry them."""
    where = [(1, 2, QUICK, False), (1, 2, QUICK_P2P, True)]
    if opts.full:
        where = [(1, 1, "", False), (1, 2, RMA, False), (2, 2, RMA, False)]
        where += [(1, 2, P2P, True), (2, 1, P2P, True)]
    if opts.p2p:
        where = [how for how in where if how[3]]
    if opts.g or opts.nodes:
        where = [(opts.g or 1, opts.nodes or 1, *where[0][2:])]
    names = opts.mpi or (LIBRARIES if opts.full else LIBRARIES[:1])
    return [(name, *how) for name in names for how in where]


def chosen(script: _foreign.Script, setting: Setting) -> list[suite.Line]:
    """The tests of a setting; those that cannot be run there are said to be skipped."""
    tree = suite.configure(setting.lib)
    lines = [line for folder in FOLDERS.split() for line in suite.read(tree, folder)]
    pattern = re.compile(setting.tests, re.X)
    lines = [
        li for li in lines if pattern.match(li.test) and script.names.search(title(setting, li))
    ]
    run = []
    for line in lines:
        why = line.obstacle(setting.lib)
        why = why or ("fewer ranks than nodes" if line.np < setting.nodes else "")
        if why:
            script.skip(title(setting, line), why)
        else:
            run.append(line)
    return run


def title(setting: Setting, line: suite.Line) -> str:
    return f"{setting.name} {line.name}"


def run_all(script: _foreign.Script, setting: Setting, opts: argparse.Namespace) -> None:
    """All tests of a setting, some at a time, said in order, and summed up by folder."""
    lines = chosen(script, setting)
    script.note(
        f"{setting.name} build", lambda: f"{suite.build(setting.lib, lines, opts.j)} programs"
    )
    count: Counter = Counter()
    check = only_plain if opts.plain else compare
    with ThreadPoolExecutor(opts.j) as pool:
        waiting: list[tuple[suite.Line, Future]] = []
        for line in lines:
            if (suite.SUITE / setting.lib.name / line.test).exists():
                waiting.append((line, pool.submit(check, setting, line)))
            else:
                script.skip(title(setting, line), "does not build")
        for line, future in waiting:
            word = script.case(title(setting, line), future.result)
            count[line.folder.split("/")[0], word] += 1
    for (folder, word), n in sorted(count.items()):
        print(f"     {setting.name} {folder}: {n} {word}")


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, run_mpi.end_runs)
    for name, *how in settings(opts):
        try:
            run_all(script, Setting(_foreign.library(name), *how), opts)
        except Skip as skip:
            script.skip(f"{name} all", str(skip))
        except Failure as failure:
            script.fail(f"{name} all", str(failure))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mpi", action="append", choices=LIBRARIES, help="only this library")
    parser.add_argument("-g", type=int, help="ghosts on each node")
    parser.add_argument("--nodes", type=int)
    parser.add_argument("-j", type=int, default=2, help="tests at a time")
    parser.add_argument("--p2p", action="store_true", help="only with ghosts that carry messages")
    parser.add_argument("--plain", action="store_true", help="without ghosts, to know what fails")


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body, options))
