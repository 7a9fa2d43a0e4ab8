#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Random RMA programs: windows of every kind, epochs, operations, datatypes; each compared with a serial
model and, by a digest of the final memory, with the plain library. rma_random/ has the program.

A seed that goes wrong under Casper and not plain is shrunk to a minimal program, which is printed
with the command that repeats it. Seeds that go wrong plain are named apart. What a plain library is
known to do wrong is left out of its programs: rma_random/known_plain.txt, with the evidence.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import _foreign
import mpi_libs
import run_mpi
from _foreign import Skip, check

SOURCES = _foreign.HERE / "rma_random"
KNOWN = SOURCES / "known_plain.txt"
USERS = 4
SEED_LIMIT_S = 60
SHRINK_LIMIT_S = 12  # for one seed while it is shrunk: a hang is one as well after that
SHRINK_BUDGET_S = 300
MAX_SHRUNK = 3  # seeds of one setting that are shrunk; the others are named


@dataclass(frozen=True)
class Setting:
    """Where programs run."""

    lib: mpi_libs.Library = field(hash=False)
    program: Path
    ghosts: int | None  # None: plain
    nodes: int
    without: tuple[str, ...] = ()  # features
    broken: str = ""  # what the tester does wrong on purpose

    def plain(self) -> Setting:
        return replace(self, ghosts=None)

    def __str__(self) -> str:
        who = "plain" if self.ghosts is None else f"{self.ghosts} ghosts"
        return f"{self.lib.name} {who} {self.nodes} nodes"


@dataclass
class Outcome:
    """What came of one seed."""

    status: str  # ok, wrong, hangs, crashes
    said: str  # the first difference, or where it hangs
    digest: str = ""


def known(lib: str, nodes: int, ghosts: int | None) -> tuple[str, ...]:
    """Features that are left out of programs for a library."""
    when = ("any", "plain") if not ghosts else ("any",)
    features = set()
    for line in KNOWN.read_text().splitlines():
        words = line.split(None, 4)
        if len(words) == 5 and not line.startswith("#") and words[3] in when:
            if words[0] == lib and words[1] in ("*", str(nodes)):
                features |= set(words[2].split(","))
    return tuple(sorted(features))


def words(setting: Setting, **options: object) -> list[str]:
    """Arguments of the program."""
    if setting.without:
        options["without"] = ",".join(setting.without)
    if setting.broken:
        options["break"] = setting.broken
    return [w for name, value in options.items() if value for w in (f"--{name}", str(value))]


def job(setting: Setting, args: list[str], limit_s: float, timeout: float) -> run_mpi.Job:
    env = {"CSP_WATCHDOG_S": str(max(4, int(limit_s * 0.8)))} if setting.ghosts else {}
    return run_mpi.Job(
        setting.lib,
        setting.program,
        USERS,
        setting.ghosts,
        setting.nodes,
        args=args,
        env=env,
        timeout=timeout,
    )


def ended(output: str, seed: int) -> Outcome:
    """How a job ended that did not come to the end of its seed."""
    stuck = re.findall(rf"^seed {seed} hangs: (.*)$", output, re.M)
    if stuck:
        return Outcome("hangs", "; ".join(stuck))
    return Outcome("crashes", " | ".join(output.strip().splitlines()[-4:])[-600:])


def read(output: str) -> dict[int, Outcome]:
    outcomes = {}
    for seed, word, said in re.findall(r"^seed (\d+) (ok digest|wrong:) (.*)$", output, re.M):
        if word == "wrong:":
            outcomes[int(seed)] = Outcome("wrong", said)
        elif outcomes.get(int(seed), Outcome("ok", "")).status == "ok":
            outcomes[int(seed)] = Outcome("ok", "", said)
    begun = re.findall(r"^seed (\d+) begins$", output, re.M)
    if begun and int(begun[-1]) not in outcomes:
        outcomes[int(begun[-1])] = ended(output, int(begun[-1]))
    return outcomes


def run_seeds(setting: Setting, first: int, count: int) -> dict[int, Outcome]:
    """Many seeds in one job; after a hang or a crash another job goes on with the next seed."""
    outcomes: dict[int, Outcome] = {}
    seed, last = first, first + count
    while seed < last:
        args = words(setting, seed=seed, count=last - seed, limit=SEED_LIMIT_S)
        timeout = SEED_LIMIT_S * (2 + (last - seed) / 4)
        result = run_mpi.run(job(setting, args, SEED_LIMIT_S, timeout))
        found = read(result.output)
        if not found:
            found = {seed: Outcome("crashes", _foreign.last_lines(result.output, 6))}
        elif result.status == "failed" and all(o.status == "ok" for o in found.values()):
            found[max(found)] = Outcome("crashes", f"{result.reason}, after the last seed")
        outcomes |= found
        seed = max(found) + 1
    return outcomes


def ranges(ids: set[int]) -> str:
    """As in 3,7-12."""
    spans: list[list[int]] = []
    for i in sorted(ids):
        if spans and spans[-1][1] == i - 1:
            spans[-1][1] = i
        else:
            spans.append([i, i])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


class Shrinker:
    """Leaves out windows, rounds and actions of a seed as long as it still goes wrong."""

    def __init__(self, setting: Setting, seed: int) -> None:
        self.setting, self.seed = setting, seed
        self.deadline = time.monotonic() + SHRINK_BUDGET_S
        self.parent: dict[int, int] = {}
        self.kinds: dict[int, str] = {}
        for number, kind, parent in re.findall(
            r"^id (\d+) (\w+) (-?\d+)$", self.listed(set()), re.M
        ):
            self.parent[int(number)], self.kinds[int(number)] = int(parent), kind
        self.status = self.said = ""  # it must go on to fail in the same way

    def listed(self, kept: set[int]) -> str:
        skipped = set(self.parent) - kept if kept else set()
        args = words(self.setting, seed=self.seed, skip=ranges(skipped)) + ["--list"]
        return run_mpi.run(job(self.setting.plain(), args, SEED_LIMIT_S, SEED_LIMIT_S)).output

    def args(self, kept: set[int], repeat: int) -> list[str]:
        skip = ranges(set(self.parent) - kept)
        return words(self.setting, seed=self.seed, skip=skip, repeat=repeat, limit=SHRINK_LIMIT_S)

    def fails(self, kept: set[int], repeat: int = 2) -> bool:
        if time.monotonic() > self.deadline:
            return False
        args = self.args(kept, repeat)
        result = run_mpi.run(job(self.setting, args, SHRINK_LIMIT_S, SHRINK_LIMIT_S * 4))
        bad = [o for o in read(result.output).values() if o.status != "ok"]
        if bad and (not self.status or bad[0].status == self.status):
            self.status, self.said = bad[0].status, f"{bad[0].status}: {bad[0].said}"
            return True
        return False

    def without_orphans(self, kept: set[int]) -> set[int]:
        """An action needs its round, a round its window."""
        for kind in ("round", "action"):
            kept = {i for i in kept if self.kinds[i] != kind or self.parent[i] in kept}
        return kept

    def reduce(self, kept: set[int], kind: str) -> set[int]:
        """Delta debugging over the ids of a kind: ever smaller chunks are left out."""
        size = max(1, sum(self.kinds[i] == kind for i in kept))
        while size >= 1:
            ids = sorted(i for i in kept if self.kinds[i] == kind)
            for at in range(0, len(ids), size):
                fewer = self.without_orphans(kept - set(ids[at : at + size]))
                if fewer != kept and self.fails(fewer):
                    kept = fewer
            size //= 2
        return kept

    def shrink(self) -> str:
        """The smallest program found, in words, and how to repeat it."""
        kept = set(self.parent)
        if not self.fails(kept, 3):
            return "does not go wrong when it is repeated alone, 3 times"
        for kind in ("window", "round", "action", "round", "window"):
            kept = self.reduce(kept, kind)
        said, program = self.said, self.listed(kept)
        lines = [s for s in program.splitlines() if re.match(r" +\S", s)]
        plain = Shrinker.fails(_as_plain(self), kept)
        lines.append(f"plain: {'goes wrong as well' if plain else 'right'}")
        lines.append(f"repeat: {self.command(kept)}")
        return "\n".join([said, *("     | " + line for line in lines)])

    def command(self, kept: set[int]) -> str:
        argv, env = run_mpi.command(job(self.setting, self.args(kept, 1), 0, 0))
        extra = {} if self.setting.ghosts is None else {"CSP_NG": str(self.setting.ghosts)}
        pairs = [f"{k}={v}" for k, v in (env | extra).items()]
        return " ".join([*pairs, *argv])


def _as_plain(shrinker: Shrinker) -> Shrinker:
    copy = Shrinker.__new__(Shrinker)
    copy.__dict__ = shrinker.__dict__ | {
        "setting": shrinker.setting.plain(),
        "deadline": time.monotonic() + SHRINK_LIMIT_S,
    }
    return copy


def compiled(lib: mpi_libs.Library, folder: Path) -> Path:
    """The program for a library."""
    compiler = lib.compiler
    if lib.build == "abi":
        compiler = str(mpi_libs.LIBRARIES["abi"].prefix / "bin/mpicc_abi")
    program = folder / f"rma_random-{lib.build}"
    if program.exists():
        return program
    args = [compiler, "-O1", "-g", "-Wall", "-Wextra", "-Wno-deprecated-declarations"]
    args += ["-D_GNU_SOURCE", f"-I{mpi_libs.ROOT / 'tests/mpi'}"]
    args += [f"-I{mpi_libs.BUILD / lib.build}", *sorted(SOURCES.glob("*.c")), "-lpthread"]
    done = subprocess.run([*args, "-o", program], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"the program does not build: {done.stderr}")
    return program


def short(outcomes: dict[int, Outcome]) -> str:
    return "; ".join(f"seed {s} {o.status}: {o.said[:200]}" for s, o in outcomes.items())


class Plain:
    """What the plain library makes of the seeds, asked once for each kind of programs."""

    def __init__(self, script: _foreign.Script, first: int, count: int) -> None:
        self.script, self.first, self.count = script, first, count
        self.outcomes: dict[tuple, dict[int, Outcome]] = {}

    def run(self, setting: Setting) -> dict[int, Outcome]:
        key = (setting.lib.name, setting.nodes, setting.without)
        if key not in self.outcomes:
            found = run_seeds(setting.plain(), self.first, self.count)
            self.outcomes[key] = found
            bad = {s: o for s, o in found.items() if o.status != "ok"}
            name = f"{setting.plain()}"
            self.script.note(name, lambda: f"{len(found) - len(bad)} of {len(found)} seeds right")
            if bad:
                self.script.skip(f"{name}, {len(bad)} seeds", f"wrong without Casper: {short(bad)}")
        return self.outcomes[key]


def compare(setting: Setting, plain: Plain) -> str:
    """All seeds in one setting."""
    found = run_seeds(setting, plain.first, plain.count)
    base = plain.run(setting)
    bad, differ, both = [], [], {}
    for seed, outcome in found.items():
        if outcome.status != "ok" and base[seed].status == "ok":
            bad.append(seed)
        elif outcome.status != "ok":
            both[seed] = outcome
        elif base[seed].status == "ok" and base[seed].digest != outcome.digest:
            differ.append(seed)
    said = [f"{len(found) - len(bad) - len(both)} of {len(found)} seeds right"]
    if both:
        said.append(f"wrong as plain: {short(both)}")
    for seed in bad[:MAX_SHRUNK]:
        said.append(f"seed {seed} {found[seed].status}: {found[seed].said}")
        said.append(f"shrunk: {Shrinker(setting, seed).shrink()}")
    said += [f"seed {s} {found[s].status}: {found[s].said}" for s in bad[MAX_SHRUNK:]]
    said += [f"seed {s}: other memory at the end than plain" for s in differ]
    check(not bad and not differ, "\n   ".join(said))
    return "; ".join(said)


def broken_is_found(setting: Setting) -> str:
    """The tester itself: a program that leaves out puts goes wrong, and shrinks to one put."""
    outcomes = run_seeds(setting, 1, 6)
    bad = [s for s, o in outcomes.items() if o.status == "wrong"]
    check(bool(bad), f"nothing found with --break {setting.broken}")
    shrunk = Shrinker(setting, bad[0]).shrink()
    actions = [line for line in shrunk.splitlines() if re.search(r"\d+      rank \d+: ", line)]
    wanted = "put" if setting.broken == "puts" else " SUM "
    check(len(actions) == 1 and wanted in actions[0], f"not shrunk to one action: {shrunk}")
    return f"{len(bad)} of {len(outcomes)} seeds wrong, shrunk to:{actions[0].partition('|')[2]}"


def settings(lib: mpi_libs.Library, program: Path, full: bool) -> list[Setting]:
    found = []
    for nodes in (2, 1):
        for ghosts in (1, 2, 0) if full else (1,):
            found.append(Setting(lib, program, ghosts, nodes, known(lib.name, nodes, ghosts)))
    return found


def library(script: _foreign.Script, name: str, folder: Path, opts: argparse.Namespace) -> None:
    lib = _foreign.library(name)
    if why := lib.missing_nodes(False):
        raise Skip(why)
    program = compiled(lib, folder)
    plain = Plain(script, opts.seed, opts.count or (100 if opts.full else 8))
    for setting in settings(lib, program, opts.full):
        script.case(str(setting), lambda s=setting: compare(s, plain))


def body(script: _foreign.Script, opts: argparse.Namespace) -> None:
    names = opts.mpi.split(",") if opts.mpi else ["m50", "m40", "o50", "i21", "o41"]
    with tempfile.TemporaryDirectory(prefix="rma_random-", dir=mpi_libs.BUILD) as folder:
        first = _foreign.library("m50")
        for what in ("puts", "sums"):
            broken = Setting(first, compiled(first, Path(folder)), None, 1, broken=what)
            script.case(f"self-test {what}", lambda s=broken: broken_is_found(s))
        for name in names if opts.full or opts.mpi else ["m50"]:
            try:
                library(script, name, Path(folder), opts)
            except Skip as skip:
                script.skip(name, str(skip))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mpi", default="", metavar="LIST", help="libraries, as in m40,o50")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=0, help="number of seeds")


if __name__ == "__main__":
    sys.exit(_foreign.main(__doc__, body, options))
