# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What the testers by random programs share: many seeds in one job, comparison with the plain library,
shrinking of a seed that goes wrong, known faults of plain libraries. A program is random/*.c
(rnd_main.c has its output) with the folder of the tester."""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import _foreign
import mpi_libs
import run_mpi
from _foreign import Skip, check

COMMON = _foreign.HERE / "random"
USERS = 4
SEED_LIMIT_S = 60
SHRINK_LIMIT_S = 12  # for one seed while it is shrunk: a hang is one as well after that
SHRINK_BUDGET_S = 300
MAX_SHRUNK = 3  # seeds of one setting that are shrunk; the others are named


@dataclass(frozen=True)
class Tester:
    """One kind of random programs."""

    name: str  # of the folder with its sources and known_plain.txt
    kinds: tuple[
        str, ...
    ]  # of ids, in the order in which they are left out; each within the one before
    # output, and whether ghosts alone did it -> what more is wrong, by seed
    judge: Callable[[str, bool], dict[int, str]] = lambda *_: {}
    differs: str = "another digest than plain"
    checks: tuple[
        str, ...
    ] = ()  # features without which the program is the same, and less is checked

    @property
    def sources(self) -> Path:
        return _foreign.HERE / self.name

    def known(self, lib: str, nodes: int, ghosts: int | None) -> tuple[str, ...]:
        """Features that are left out of programs for a library."""
        when = ("any", "plain") if not ghosts else ("any",)
        features = set()
        for words in _foreign.table(self.sources / "known_plain.txt", 5):
            if len(words) == 5 and words[3] in when:
                if words[0] == lib and words[1] in ("*", str(nodes)):
                    features |= set(words[2].split(","))
        return tuple(sorted(features))

    def compiled(self, lib: mpi_libs.Library, folder: Path) -> Path:
        """The program for a library."""
        compiler = lib.compiler
        if lib.build == "abi":
            compiler = str(mpi_libs.LIBRARIES["abi"].prefix / "bin/mpicc_abi")
        program = folder / f"{self.name}-{lib.build}"
        if program.exists():
            return program
        args = [compiler, "-O1", "-g", "-Wall", "-Wextra", "-Wno-deprecated-declarations"]
        args += ["-D_GNU_SOURCE", f"-I{mpi_libs.ROOT / 'tests/mpi'}", f"-I{COMMON}"]
        args += [f"-I{mpi_libs.BUILD / lib.build}"]
        args += [*sorted(COMMON.glob("*.c")), *sorted(self.sources.glob("*.c")), "-lpthread"]
        done = subprocess.run([*args, "-o", program], capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"the program does not build: {done.stderr}")
        return program


@dataclass(frozen=True)
class Setting:
    """Where programs run."""

    tester: Tester = field(hash=False)
    lib: mpi_libs.Library = field(hash=False)
    program: Path
    ghosts: int | None  # None: plain
    nodes: int
    without: tuple[str, ...] = ()  # features
    env: tuple[tuple[str, str], ...] = ()  # with ghosts
    broken: str = ""  # what the tester does wrong on purpose
    by_library: bool = False  # something, at least

    def plain(self) -> Setting:
        """The same programs without Casper."""
        known = self.tester.known(self.lib.name, self.nodes, None)
        less = {name for name in known if name in self.tester.checks}
        without = tuple(sorted({*self.without, *less}))
        return replace(self, ghosts=None, without=without, by_library=True)

    def __str__(self) -> str:
        who = "plain" if self.ghosts is None else f"{self.ghosts} ghosts"
        shown = "".join(f" {k}={v}" for k, v in self.env) if self.ghosts else ""
        return f"{self.lib.name} {who} {self.nodes} nodes{shown}"


@dataclass
class Outcome:
    """What came of one seed."""

    status: str  # ok, wrong, hangs, crashes
    said: str  # the first difference, or where it hangs
    digest: str = ""


def words(setting: Setting, **options: object) -> list[str]:
    """Arguments of the program."""
    if setting.without:
        options["without"] = ",".join(setting.without)
    if setting.broken:
        options["break"] = setting.broken
    return [w for name, value in options.items() if value for w in (f"--{name}", str(value))]


def job(setting: Setting, args: list[str], limit_s: float, timeout: float) -> run_mpi.Job:
    env = {"CSP_WATCHDOG_S": str(max(4, int(limit_s * 0.8)))} if setting.ghosts else {}
    env |= dict(setting.env) if setting.ghosts else {}
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


def read(setting: Setting, output: str) -> dict[int, Outcome]:
    """What a job said of each seed; the first that is wrong of several runs of one."""
    outcomes = {}
    for seed, word, said in re.findall(r"^seed (\d+) (ok digest|wrong:) (.*)$", output, re.M):
        if word == "wrong:":
            outcomes[int(seed)] = Outcome("wrong", said)
        elif outcomes.get(int(seed), Outcome("ok", "")).status == "ok":
            outcomes[int(seed)] = Outcome("ok", "", said)
    begun = re.findall(r"^seed (\d+) begins$", output, re.M)
    if begun and int(begun[-1]) not in outcomes:
        outcomes[int(begun[-1])] = ended(output, int(begun[-1]))
    for seed, said in setting.tester.judge(output, not setting.by_library).items():
        if outcomes[seed].status == "ok":
            outcomes[seed] = Outcome("wrong", said)
    return outcomes


def run_seeds(setting: Setting, first: int, count: int) -> dict[int, Outcome]:
    """Many seeds in one job; after a hang or a crash another job goes on with the next seed."""
    outcomes: dict[int, Outcome] = {}
    seed, last = first, first + count
    while seed < last:
        args = words(setting, seed=seed, count=last - seed, limit=SEED_LIMIT_S)
        timeout = SEED_LIMIT_S * (2 + (last - seed) / 4)
        result = run_mpi.run(job(setting, args, SEED_LIMIT_S, timeout))
        found = read(setting, result.output)
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
    """Leaves out parts of a seed's program as long as it still goes wrong."""

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
        bad = [o for o in read(self.setting, result.output).values() if o.status != "ok"]
        if bad and (not self.status or bad[0].status == self.status):
            self.status, self.said = bad[0].status, f"{bad[0].status}: {bad[0].said}"
            return True
        return False

    def without_orphans(self, kept: set[int]) -> set[int]:
        """A part needs the one around it."""
        for kind in self.setting.tester.kinds[1:]:
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
        kinds = self.setting.tester.kinds
        for kind in (*kinds, *reversed(kinds[:-1])):
            kept = self.reduce(kept, kind)
        said, program = self.said, self.listed(kept)
        lines = [s for s in program.splitlines() if re.match(r" +\S", s)]
        plain = Shrinker.fails(_as_plain(self), kept)
        lines.append(f"plain: {'goes wrong as well' if plain else 'right'}")
        lines.append(f"repeat: {self.command(kept)}")
        return "\n".join([said, *("     | " + line for line in lines)])

    def command(self, kept: set[int]) -> str:
        argv, env = run_mpi.command(job(self.setting, self.args(kept, 1), 0, 0))
        if self.setting.ghosts is not None:
            env = env | {"CSP_NG": str(self.setting.ghosts)} | dict(self.setting.env)
        pairs = [f"{k}={v}" for k, v in env.items()]
        return " ".join([*pairs, *argv])


def _as_plain(shrinker: Shrinker) -> Shrinker:
    copy = Shrinker.__new__(Shrinker)
    copy.__dict__ = shrinker.__dict__ | {
        "setting": shrinker.setting.plain(),
        "deadline": time.monotonic() + SHRINK_LIMIT_S,
    }
    return copy


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
    said += [f"seed {s}: {setting.tester.differs}" for s in differ]
    check(not bad and not differ, "\n   ".join(said))
    return "; ".join(said)


def broken_is_found(setting: Setting, wanted: str, most: int) -> str:
    """The tester itself: a program with an error made on purpose goes wrong, and shrinks to a few lines."""
    outcomes = run_seeds(setting, 1, 6)
    bad = [s for s, o in outcomes.items() if o.status == "wrong"]
    check(bool(bad), f"nothing found with --break {setting.broken}")
    shrunk = Shrinker(setting, bad[0]).shrink()
    actions = [line for line in shrunk.splitlines() if re.search(r"\| +\d+      \S", line)]
    small = 0 < len(actions) <= most and all(re.search(wanted, line) for line in actions)
    check(small, f"not shrunk to {most} lines of /{wanted}/: {shrunk}")
    left = "; ".join(line.partition("|")[2].strip() for line in actions)
    return f"{len(bad)} of {len(outcomes)} seeds wrong, shrunk to: {left}"


@dataclass
class Plan:
    """What a tester runs."""

    tester: Tester
    spoils: dict[
        str, str
    ]  # errors on purpose -> what the one line that is left over has to contain
    ghosts: list[tuple[int, dict[str, str]]]  # on each node, with variables
    more_ghosts: list[tuple[int, dict[str, str]]]  # of --full
    libraries: tuple[str, ...]  # of --full; the first one alone otherwise
    seeds: tuple[int, int] = (8, 100)  # without and with --full
    plain: tuple[
        dict[str, str], ...
    ] = ()  # variables with which ghosts leave something to the library, and to its faults
    faulty: tuple[str, ...] = ()  # libraries to which nothing is left: most seeds go wrong plain


def settings(plan: Plan, lib: mpi_libs.Library, program: Path, full: bool) -> list[Setting]:
    found = []
    for nodes in (2, 1):
        for ghosts, env in plan.ghosts + (plan.more_ghosts if full else []):
            plain = env in plan.plain
            if plain and lib.name in plan.faulty:
                continue
            known = plan.tester.known(lib.name, nodes, None if plain else ghosts)
            found.append(
                Setting(
                    plan.tester,
                    lib,
                    program,
                    ghosts,
                    nodes,
                    known,
                    tuple(env.items()),
                    by_library=plain,
                )
            )
    return found


def library(
    script: _foreign.Script, plan: Plan, name: str, folder: Path, opts: argparse.Namespace
) -> None:
    lib = _foreign.library(name)
    if why := lib.missing_nodes(False):
        raise Skip(why)
    program = plan.tester.compiled(lib, folder)
    plain = Plain(script, opts.seed, opts.count or plan.seeds[opts.full])
    for setting in settings(plan, lib, program, opts.full):
        script.case(str(setting), lambda s=setting: compare(s, plain))


def body(script: _foreign.Script, opts: argparse.Namespace, plan: Plan) -> None:
    names = opts.mpi.split(",") if opts.mpi else plan.libraries
    with tempfile.TemporaryDirectory(prefix=f"{plan.tester.name}-", dir=mpi_libs.BUILD) as folder:
        first = _foreign.library(plan.libraries[0])
        program = plan.tester.compiled(first, Path(folder))
        for what, (wanted, most) in plan.spoils.items():
            known = plan.tester.known(first.name, 1, None)
            broken = Setting(plan.tester, first, program, None, 1, known, broken=what)
            script.case(
                f"{first.name} self-test {what}",
                lambda s=broken, line=wanted, n=most: broken_is_found(s, line, n),
            )
        for name in names if opts.full or opts.mpi else names[:1]:
            try:
                library(script, plan, name, Path(folder), opts)
            except Skip as skip:
                script.skip(name, str(skip))


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mpi", default="", metavar="LIST", help="libraries, as in m40,o50")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=0, help="number of seeds")


def main(doc: str, plan: Plan) -> int:
    return _foreign.main(doc, lambda script, opts: body(script, opts, plan), options)
