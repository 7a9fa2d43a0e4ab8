# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Tests that other runners run: ctest for the unit tests, pytest, and the conformance scripts."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import run_mpi
from mpi_libs import BUILD, LIBRARIES, ROOT

# Build directory -> sanitizer.
UNIT_BUILDS = {"unit": "", "unit-asan": "address,undefined", "unit-tsan": "thread"}
TEST_LIMIT_S = 600  # of one that pytest runs
CONFORMANCE_LIMIT_S = {"quick": 900, "full": 5400}


def _log(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def _junit(report, outcome, group: str, path: Path) -> int:
    """Adds the cases of a JUnit file; returns how many there were."""
    if not path.exists():
        return 0
    cases = list(ElementTree.parse(path).iter("testcase"))
    for case in cases:
        bad = next(
            (case.find(tag) for tag in ("failure", "error") if case.find(tag) is not None), None
        )
        skip = case.find("skipped")
        status = "failed" if bad is not None else "skipped" if skip is not None else "passed"
        reason = (
            "" if status == "passed" else ((skip if bad is None else bad).get("message") or status)
        )
        output = (
            "\n".join(part.text or "" for part in case if part.tag != "properties")
            if bad is not None
            else ""
        )
        classname = case.get("classname", "")
        name = case.get("name", "?")
        if classname and classname != name:
            name = f"{classname.rpartition('.')[2]}::{name}"
        first = reason.splitlines()[0][:200] if reason else ""
        report.add(outcome(group, name, "", status, first, float(case.get("time") or 0), output))
    return len(cases)


def build(report, outcome, name: str, args: tuple[str, ...] = ()) -> bool:
    """Builds a library with its tests; a build that fails is a failed test. True if it went well."""
    start = time.monotonic()
    words = [ROOT / "tools/setup/build.sh", "-t", name, *args]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    status, reason = ("failed", "does not build") if done.returncode else ("passed", "")
    seconds = time.monotonic() - start
    report.add(outcome("build", name, "", status, reason, seconds, done.stdout + done.stderr))
    return not done.returncode


def unit(report, opts: argparse.Namespace, outcome) -> None:
    """Builds and runs tests/unit, also under the sanitizers."""
    if not (ROOT / "tests/unit/CMakeLists.txt").exists():
        return
    for name, sanitizer in UNIT_BUILDS.items():
        args = ("--", f"-DCSP_SANITIZE={sanitizer}", "-DCSP_DEBUG=ON") if sanitizer else ()
        if not build(report, outcome, name, args):
            continue
        xml = BUILD / name / "junit.xml"
        xml.unlink(missing_ok=True)
        args = ["ctest", "--test-dir", BUILD / name, "--output-junit", xml, "--timeout", "120"]
        args += ["--output-on-failure", "-j", str(opts.jobs)] + (["-R", opts.k] if opts.k else [])
        done = subprocess.run(args, capture_output=True, text=True, check=False)
        if not _junit(report, outcome, name, xml) and not opts.k:
            reason = "no unit test was built (libcmocka-dev is not installed)"
            said = done.stdout + done.stderr
            status = "skipped" if "No tests were found" in said else "failed"
            report.add(outcome(name, "all", "", status, reason, 0.0, said))


def pytest(report, opts: argparse.Namespace, outcome, part: str) -> None:
    """Runs tests/<part> with the private environment's pytest."""
    folder = ROOT / "tests" / part
    if not list(folder.glob("test_*.py")):
        return
    python = ROOT / "build/env/py/bin/python"
    if not python.exists():
        report.add(outcome(part, "all", "", "skipped", "build/env/py with pytest is not there"))
        return
    xml = BUILD / "results" / f"{part}.xml"
    xml.parent.mkdir(parents=True, exist_ok=True)
    xml.unlink(missing_ok=True)
    args = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={xml}", folder]
    args += [f"--timeout={TEST_LIMIT_S}"]
    args += ["-k", opts.k] if re.fullmatch(r"\w+", opts.k) else []
    env = os.environ | {
        "CASPER_TEST_MODE": "full" if opts.full else "quick",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = _limited(args, env, 3600 if opts.full else 2000)
    n = _junit(report, outcome, part, xml)
    if done[0] not in (0, 1, 5) or (not n and done[0] != 5):
        report.add(
            outcome(part, "pytest", "", "failed", f"pytest ended with {done[0]}", done[2], done[1])
        )


def _limited(args: list, env: dict[str, str], limit_s: float) -> tuple[int, str, float]:
    """Runs a command with a time limit; ends all that it started. Exit code, output, seconds."""
    start = time.monotonic()
    mark = f"outside-{os.getpid()}-{start}"
    log = BUILD / "results" / "outside.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        proc = run_mpi.start_marked(args, env, ROOT, out, mark)
        run_mpi.LIVE[mark] = proc
        try:
            code = proc.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            code = 124
        finally:
            run_mpi.end_all(proc, mark)
            run_mpi.LIVE.pop(mark, None)
    return code, _log(log), time.monotonic() - start


QUICK = (
    "armci",
    "coarrays",
    "imb",
    "intel_programs",
    "leaks",
    "mpi4py_programs",
    "mpi4py_suite",
    "nwchem",
    "p2p_random",
    "pmpi_tool",
    "rma_random",
)  # minutes; the others run in test-full


WORDS = {"ok": "passed", "FAIL": "failed", "skip": "skipped"}  # of a script -> of the summary


def _parts(report, outcome, script: str, path: Path) -> set[str]:
    """Adds what a conformance script says of its parts, by MPI library; returns the statuses."""
    found = set()
    for line in _log(path).splitlines():
        part = json.loads(line)
        lib, name = re.fullmatch(r"(\w+),? ?(.*)", part["name"]).groups()
        group, test = "conform.", f"{part['name']} of {script}"
        if lib in LIBRARIES:
            group, test = f"{group} {lib}", f"{script} {name}"
        status, said = WORDS[part["word"]], part["said"]
        reason = "" if status == "passed" else (said.splitlines() or ["no reason given"])[0][:200]
        output = said if status == "failed" else ""
        report.add(outcome(group, test, "", status, reason, part["seconds"], output))
        found.add(status)
    return found


def _ended(code: int, found: set[str]) -> str:
    """What is wrong with the end of a script, judged by its parts."""
    want = 1 if "failed" in found else 0 if "passed" in found else run_mpi.SKIPPED
    if code != want:
        return f"exit code {code}, by its parts {want}"
    return "" if found else "ran nothing"


def conformance(report, opts: argparse.Namespace, outcome, mode: str) -> None:
    """Runs tests/conformance/*.py; those whose name starts with an underscore are helpers."""
    parts = BUILD / "results" / "parts.jsonl"
    python = ROOT / "build/env/py/bin/python"
    for script in sorted((ROOT / "tests/conformance").glob("[a-z]*.py")):
        if not re.search(opts.k, script.stem) or not os.access(script, os.X_OK):
            continue
        if mode == "quick" and script.stem not in QUICK:
            report.add(outcome("conform.", script.stem, "", "skipped", "part of test-full"))
            continue
        parts.unlink(missing_ok=True)
        args = [str(python) if python.exists() else "python3", str(script), f"--{mode}"]
        env = os.environ | {"CASPER_TEST_PARTS": str(parts)}
        code, output, seconds = _limited(args, env, CONFORMANCE_LIMIT_S[mode])
        found = _parts(report, outcome, script.stem, parts)
        if wrong := _ended(code, found):
            report.add(outcome("conform.", script.stem, "", "failed", wrong, seconds, output))
