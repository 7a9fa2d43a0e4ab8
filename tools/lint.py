#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""All static checks (`make lint`); with --fix it repairs the format. Runs in build/env/lint.

Every checker gets the files that git knows or would add. Exit code 1 if any check fails.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / "build/env/lint/bin"
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
FUNCTION_LINES, FILE_LINES = 60, 500
TIDY_BUILDS = ("m50-lint", "unit-lint")
# Folders of one machine; the last part keeps this line from being one of them.
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(?:work|root|home|opt/[a-z]+|tmp/[a-z])(?=/)")
PATHS_ALLOWED = ("docs/",)


class Files:
    """The files of the source tree by kind."""

    def __init__(self):
        listed = run(["git", "ls-files", "-co", "--exclude-standard"])[1].split("\n")
        self.all = sorted(p for p in map(Path, set(listed) - {""}) if (ROOT / p).is_file())
        self.c = [p for p in self.all if p.suffix in (".c", ".h")]
        self.python = [p for p in self.all if p.suffix == ".py" or self._runs(p, "python3")]
        self.shell = [p for p in self.all if p.suffix == ".sh" or self._runs(p, "/sh")]
        self.text = [p for p in self.all if p.suffix not in (".png", ".svg", ".json")]

    @staticmethod
    def _runs(path, interpreter):
        if path.suffix:
            return False
        with open(ROOT / path, "rb") as file:
            first = file.readline().decode(errors="replace")
        return first.startswith("#!") and interpreter in first


def run(args):
    """Exit code and all output of a command."""
    done = subprocess.run(
        [str(a) for a in args], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def clang_format(files, fix):
    how = ["-i"] if fix else ["--dry-run", "-Werror"]
    code, output = run([BIN / "clang-format", *how, *files.c])
    wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", output, re.M)))
    return code, "\n".join(f"{path}: not formatted (make format)" for path in wrong) or output


def ruff(files, fix):
    check = ["check", "-q", "--output-format=concise"] + (["--fix"] if fix else [])
    code, output = run([BIN / "ruff", *check, *files.python])
    how = [] if fix else ["--check"]
    code2, output2 = run([BIN / "ruff", "format", "-q", *how, *files.python])
    wrong = re.findall(r"^\s*--> (\S+?):\d", output2, re.M)
    return code | code2, output + "\n".join(f"{p}: not formatted (make format)" for p in wrong)


def without_gcc_flags(database):
    """A copy of a compilation database that clang understands: its folder."""
    folder = database.parent / "tidy"
    folder.mkdir(exist_ok=True)
    text = re.sub(r" -mmemset-strategy=\S+", "", database.read_text())
    (folder / database.name).write_text(text)
    return folder


def clang_tidy(_files, _fix):
    """Every C file of the builds that are configured."""
    jobs = {}
    for name in TIDY_BUILDS:
        database = ROOT / "build" / name / "compile_commands.json"
        if not database.exists():
            return 1, f"{database} is missing"
        folder = without_gcc_flags(database)
        for entry in json.loads(database.read_text()):
            source = Path(entry["file"])
            if source.is_relative_to(ROOT) and not source.is_relative_to(ROOT / "build"):
                jobs.setdefault(source.relative_to(ROOT), folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        commands = [[BIN / "clang-tidy", "--quiet", "-p", jobs[p], p] for p in sorted(jobs)]
        results = list(pool.map(run, commands))
    bad = "".join(out for code, out in results if code)
    found = dict.fromkeys(re.findall(r"^.* (?:error|warning): .*$", bad, re.M))
    return bad != "", "\n".join(found) or bad


def lizard(files, _fix):
    """The length of functions, Python's too."""
    own = [*files.c, *(p for p in files.python if p.suffix)]
    args = ["-w", "-L", str(FUNCTION_LINES), "-C", "1000", "-a", "1000"]
    return run([BIN / "lizard", *args, *own])


def codespell(files, _fix):
    return run([BIN / "codespell", *files.text])


def shellcheck(files, _fix):
    return run([BIN / "shellcheck", "-f", "gcc", *files.shell])


def own_rules(files, _fix):
    """What no tool checks: length of files, licence, no path of somebody's machine."""
    found = []
    for path in files.text:
        lines = (ROOT / path).read_text(errors="replace").splitlines()
        if path.parts[0] == "src" and path.suffix in (".c", ".h") and len(lines) > FILE_LINES:
            found.append(f"{path}: {len(lines)} lines, more than {FILE_LINES}")
        code = path in files.c or path in files.python or path in files.shell
        if code and not any(LICENCE in line for line in lines[:4]):
            found.append(f"{path}:1: no SPDX line")
        if str(path).startswith(PATHS_ALLOWED):
            continue
        for number, line in enumerate(lines, 1):
            if MACHINE_PATH.search(line):
                found.append(f"{path}:{number}: path of one machine: {line.strip()[:80]}")
    return len(found) > 0, "\n".join(found)


CHECKS = {
    check.__name__: check
    for check in (clang_format, ruff, shellcheck, codespell, lizard, own_rules, clang_tidy)
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="repair the format, check nothing else")
    parser.add_argument("checks", nargs="*", help=f"some of: {', '.join(CHECKS)}")
    args = parser.parse_args()
    files = Files()
    names = args.checks or (["clang_format", "ruff"] if args.fix else list(CHECKS))
    failed = []
    for name in names:
        code, output = CHECKS[name](files, args.fix)
        print(f"{'FAIL' if code else 'ok  '} {name}", flush=True)
        if code:
            failed.append(name)
            print("\n".join("     | " + line for line in output.strip().splitlines()[:200]))
    print(f"lint: {len(names) - len(failed)} of {len(names)} checks are clean")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
