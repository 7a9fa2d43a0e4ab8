# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What the conformance scripts share: running a job of a foreign program to its end or its time limit
without leaving a process, and the exit code that the test driver wants (0, 1, 77: skipped)."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import mpi_libs  # noqa: E402
import run_mpi  # noqa: E402

HERE = Path(__file__).resolve().parent
CASPER = mpi_libs.ROOT / "bin/casper"
DEBIAN = mpi_libs.ENV / "debian"  # source packages, and apt's state for them
DEBIAN_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
SHOWN_LINES = 40  # of the output of a job that failed


class Skip(Exception):
    """This machine cannot run the script."""


class Failure(Exception):
    """A check of a job did not hold."""


@dataclass
class Done:
    """How a job ended."""

    code: int  # 124: it took too long
    output: str
    seconds: float


def environment(lib: mpi_libs.Library, extra: dict[str, str] | None = None) -> dict[str, str]:
    """For a whole job: what the library needs, nothing of Casper's or of another job's."""
    foreign = ("CSP_", "LD_PRELOAD", "OMPI_", "PMI", "MPIR_", "FI_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    return env | {"OMP_NUM_THREADS": "1"} | lib.env | (extra or {})


def kill(mark: str) -> None:
    """Ends at once whatever is left of a job."""
    deadline = time.monotonic() + 5
    while run_mpi.kill_marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)


def run(
    words: list,
    env: dict[str, str],
    limit_s: float,
    cwd: Path | None = None,
    during: Callable[[subprocess.Popen, str], None] | None = None,
) -> Done:
    """Runs a command; `during` sees its process and mark (run_mpi.marked finds its ranks by it)."""
    mark = uuid.uuid4().hex
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        proc = run_mpi.start_marked(words, env, cwd, out, mark)
        extra = ""
        try:
            if during:
                during(proc, mark)
            code = proc.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            code, extra = 124, run_mpi.who_waits(mark, Path(words[-1]).name)[0]
        finally:
            kill(mark)
            proc.wait()
        out.seek(0)
        output = out.read().decode(errors="replace") + extra
    return Done(code, output, time.monotonic() - start)


def run_job(job: run_mpi.Job) -> str:
    """Runs a program in one setting. @return what it wrote."""
    result = run_mpi.run(job)
    if result.status != "passed":
        ghosts = "plain" if job.ghosts is None else f"ghosts on each node: {job.ghosts}"
        raise Failure(f"{ghosts}, nodes: {job.nodes}: {result.reason}\n{last_lines(result.output)}")
    return result.output


def library(name: str) -> mpi_libs.Library:
    """An MPI library with Casper built for it."""
    lib = mpi_libs.LIBRARIES[name]
    if why := lib.missing():
        raise Skip(why)
    if not lib.casper.exists():
        raise Skip(f"{lib.casper} was not built")
    return lib


def need(program: str, package: str) -> str:
    path = shutil.which(program)
    if not path:
        raise Skip(f"{program} is not installed (Debian: {package})")
    return path


def compiled(compiler: str | Path, words: list, output: Path, **how) -> Path:
    """Compiles a program or library of ours."""
    done = subprocess.run(
        [str(w) for w in (compiler, "-g", "-Wall", *words, "-o", output)],
        capture_output=True,
        text=True,
        check=False,
        **how,
    )
    if done.returncode:
        raise Failure(f"{output.name} does not build\n{last_lines(done.stderr)}")
    return output


def command(words: list, what: str, wrong: type[Exception] = Skip, **how) -> str:
    """Runs a command that prepares something; without it the script cannot run, or has failed (`wrong`)."""
    try:
        done = subprocess.run(
            [str(w) for w in words], capture_output=True, text=True, check=False, **how
        )
    except OSError as error:
        raise wrong(f"{what}: {error}") from error
    if done.returncode:
        raise wrong(f"{what}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def _apt() -> list[str]:
    """apt-get with a state of its own: the machine's mirrors, their source packages alone."""
    shown = command(
        [
            "apt-get",
            "indextargets",
            "--format",
            "$(ORIGIN) $(SITE) $(RELEASE)",
            "Created-By: Packages",
        ],
        "apt-get tells no mirror",
    )
    mirrors = sorted(
        {tuple(line.split()[1:]) for line in shown.splitlines() if line.startswith("Debian ")}
    )
    (DEBIAN / "apt/lists").mkdir(parents=True, exist_ok=True)
    sources = DEBIAN / "apt/sources.list"
    sources.write_text(
        "".join(
            f"deb-src [signed-by={DEBIAN_KEYS}] {site} {suite} main\n" for site, suite in mirrors
        )
    )
    options = {"Dir::State": DEBIAN / "apt", "Dir::State::status": "/var/lib/dpkg/status"}
    options |= {"Dir::Cache": DEBIAN / "apt", "Dir::Etc::sourcelist": sources}
    options |= {"Dir::Etc::sourceparts": "-", "APT::Sandbox::User": "root"}
    return ["apt-get", "-q", *(w for k, v in options.items() for w in ("-o", f"{k}={v}"))]


def debian_source(package: str) -> Path:
    """The authors' archive of a Debian source package as sources.txt pins it, unpacked under build/env."""
    lines = (HERE / "sources.txt").read_text().splitlines()
    version, pin = next(w[1:] for w in map(str.split, lines) if w[:1] == [package])
    folder = DEBIAN / f"{package}-{version}-{pin[:8]}"
    if folder.exists():
        return folder
    apt = _apt()
    with tempfile.TemporaryDirectory(dir=DEBIAN) as inside:
        what = f"Debian source package {package} {version}"
        command([*apt, "update"], what)
        command([*apt, "source", "--download-only", f"{package}={version}"], what, cwd=inside)
        archive = next(Path(inside).glob("*.orig.tar.*z*"))
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        check(found == pin, f"{archive.name} has sha256 {found}, pinned is {pin}")
        shutil.unpack_archive(archive, Path(inside, "all"))
        next(Path(inside, "all").iterdir()).rename(folder)
    return folder


def table(path: Path, columns: int) -> list[list[str]]:
    """The lines of a list such as known.txt, the last column being text."""
    lines = [line.split(None, columns - 1) for line in path.read_text().splitlines()]
    return [words for words in lines if words and not words[0].startswith("#")]


def check(holds: bool, what: str) -> None:
    if not holds:
        raise Failure(what)


def all_redirected(report: dict) -> None:
    """No window of a job's report was left to the MPI library."""
    plain = {why: n for why, n in report["total"]["windows"]["plain"].items() if n}
    check(not plain, f"windows left plain: {plain}")


def last_lines(output: str, n: int = SHOWN_LINES) -> str:
    lines = output.rstrip().splitlines()
    return "\n".join("     | " + line for line in lines[-n:])


class Script:
    """Runs named cases and keeps count. The first word of a name is the MPI library; each part is a line
    of the file $CASPER_TEST_PARTS too, for the test driver."""

    def __init__(self, names: str) -> None:
        self.names = re.compile(names)
        self.failed: list[str] = []
        self.passed = 0
        self.skipped: list[str] = []

    def part(self, word: str, name: str, said: str, seconds: float = 0.0) -> None:
        """Says what became of a part."""
        print(f"{word:<4} {name} {seconds:.1f} s: {said}", flush=True)
        if path := os.environ.get("CASPER_TEST_PARTS"):
            row = {"word": word, "name": name, "said": said, "seconds": seconds}
            with open(path, "a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")

    def note(self, name: str, body: Callable[[], str]) -> None:
        """Something that has to run before, and is no test."""
        start = time.monotonic()
        said = body()
        print(f"     {name} {time.monotonic() - start:.1f} s: {said}", flush=True)

    def skip(self, name: str, reason: str) -> None:
        self.skipped.append(reason)
        self.part("skip", name, reason)

    def fail(self, name: str, reason: str) -> None:
        self.failed.append(name)
        self.part("FAIL", name, reason)

    def case(self, name: str, body: Callable[[], str | None]) -> str:
        """`body` returns what is worth saying, raises Failure, or Skip. Returns the word for it."""
        if not self.names.search(name):
            return ""
        start = time.monotonic()
        try:
            word, said = "ok", body() or ""
            self.passed += 1
        except Skip as skip:
            word, said = "skip", str(skip)
            self.skipped.append(said)
        except Exception as wrong:  # noqa: BLE001 # of this case: the others run
            known = isinstance(wrong, Failure)
            word, said = "FAIL", str(wrong) if known else traceback.format_exc()
            self.failed.append(name)
        self.part(word, name, said, time.monotonic() - start)
        return word

    def end(self) -> int:
        print(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped")
        if self.failed:
            return 1
        if self.passed:
            return 0
        print(f"skipped: {'; '.join(dict.fromkeys(self.skipped)) or 'nothing to do'}")
        return run_mpi.SKIPPED


def main(
    doc: str,
    body: Callable[[Script, argparse.Namespace], None],
    options: Callable[[argparse.ArgumentParser], None] = lambda _: None,
) -> int:
    """Parses the options that every script has, and those that `options` adds, and runs it."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="what `make test` runs (default)")
    parser.add_argument("--full", action="store_true", help="what `make test-full` runs")
    parser.add_argument("-k", default="", metavar="REGEX", help="only cases whose name matches")
    options(parser)
    opts = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that jobs are ended
    script = Script(opts.k)
    try:
        body(script, opts)
    except Skip as skip:
        script.skip("all", str(skip))
    return script.end()
