# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""tests/mpi once more, libcasper and the test programs under AddressSanitizer and UBSan.

Every error that they find fails the test. Of leaks those are Casper's whose memory was allocated by
libcasper itself: the innermost frame outside the allocator and the C library is one of ours. What an
MPI library, libfabric or a test program leaks is none.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import matrix
import outside
import run_mpi
from mpi_libs import LIBRARIES, ROOT, Library

NAMES = ("m50", "m40", "o50")
SUFFIX = "-asan"
BUILD_ARGS = ("--", "-DCSP_SANITIZE=address,undefined", "-DCSP_DEBUG=ON")
AT_EXIT = "casper/leaks_at_exit.so"  # looks for leaks, also in ghosts
SLOWER = 4  # time limits times this
# In quick runs: something of each area.
QUICK = (
    r"^rma/(put_get|acc_epochs|get_acc|request_types|epochs_mix|lock_mix|pscw|errors|many_windows"
    r"|comm_overlap|types_struct|types_lifetime|spare|threads_create|own_threads_create"
    r"|created_(threads_create|threads_ops|types_indexed|large|errors|request_ops)"
    r"|segment_(acc_epochs|types_subarray))$|^world/(collectives|attributes)$|^p2p/(auto_order|complete|order|probes|sizes)$"
    r"|^casper/(created_unmapped|redirected)$"
)
ERROR = re.compile(r"ERROR: AddressSanitizer: .*|runtime error: .*|Sanitizer has encountered .*")
NOT_THE_CALLER = re.compile(r"libsanitizer|/libasan\.so|/libc\.so|/libstdc\+\+\.so|/sysdeps/")
OURS = re.compile(rf"libcasper\.so| (?:{re.escape(str(ROOT))}/)?src/\w")
LIBRARY = re.compile(r"\.so[.\d]*\+0x")


@lru_cache
def libasan() -> Path | None:
    """The runtime of the compiler; a program that does not bring it must preload it first."""
    compiler = shutil.which("cc")
    if not compiler:
        return None
    asked = [compiler, "-print-file-name=libasan.so"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    path = Path(done.stdout.strip())
    return path.resolve() if path.is_absolute() and path.exists() else None


def sanitized(lib: Library) -> Library:
    """The same MPI library with the sanitized build."""
    return replace(lib, build=lib.build + SUFFIX)


def environment(folder: Path, lib: Library) -> dict[str, str]:
    """Options of the sanitizers; each process writes what it finds to a file in `folder`."""
    address = f"log_path={folder}/asan:exitcode=66:detect_leaks=1:leak_check_at_exit=0"
    address += (
        ":quarantine_size_mb=16"  # freed memory that is kept; some tests look at how memory grows
    )
    address += (
        ":verify_asan_link_order=0"  # the launcher's shim comes first in what a program spawns
    )
    if lib.name == "o50":
        address += ":allocator_may_return_null=1"  # as malloc: Open MPI asks for too much at times
    undefined = f"log_path={folder}/ubsan:exitcode=67:halt_on_error=1:print_stacktrace=1"
    return {
        "ASAN_OPTIONS": address,
        "UBSAN_OPTIONS": undefined,
        "UCX_MEM_EVENTS": "n",  # UCX hooks the functions of memory that the sanitizer hooks as well
        "PMIX_MCA_gds": "hash",  # the other way wants an address that the sanitizer's shadow can have
    }


def own_leaks(text: str) -> list[str]:
    """The reports of leaks in a file whose memory libcasper allocated."""
    blocks = re.findall(r"^(?:Direct|Indirect) leak of .*(?:\n +#\d+ .*)+", text, re.M)
    return [block for block in blocks if OURS.search(caller(block))]


def caller(text: str) -> str:
    """The frame of who called the function of libc, or did it itself; empty if no stack is there."""
    frames = re.findall(r"^ +#\d+ .*", text, re.M)
    return next((line for line in frames if not NOT_THE_CALLER.search(line)), "")


def by_another_library(text: str) -> bool:
    """Whether neither libcasper nor the program did it."""
    frame = caller(text)
    return bool(LIBRARY.search(frame)) and not OURS.search(frame)


def findings(folder: Path, known: bool) -> tuple[str, str]:
    """(what is wrong in one line, all that was said of it); empty if nothing is. `known`: the plain library
    fails in this test, so that errors in its own functions are no news."""
    errors, leaks = [], []
    for path in sorted(folder.iterdir()):
        text = path.read_text(errors="replace")
        if (found := ERROR.search(text)) and not (known and by_another_library(text)):
            errors.append((found.group(0), text))
        leaks += own_leaks(text)
    if errors:
        return errors[0][0][:200], "\n".join(text for _, text in errors)
    if leaks:
        return f"{len(leaks)} leaks of libcasper", "\n".join(leaks)
    return "", ""


def execute(run: matrix.Run) -> tuple[matrix.Run, run_mpi.Result]:
    with tempfile.TemporaryDirectory(prefix="casper-sanitize-") as name:
        folder = Path(name)
        above = [libasan(), run.job.lib.programs / AT_EXIT, *run.job.above]
        env = run.job.env | environment(folder, run.job.lib)
        job = replace(run.job, above=above, env=env, timeout=SLOWER * run.job.timeout)
        _, result = matrix.execute(replace(run, job=job))
        reason, said = findings(folder, known=result.status == "skipped")
    if reason:
        result.status, result.reason, result.output = "failed", reason, result.output + said
    return run, result


def chosen(opts: argparse.Namespace) -> list[Library]:
    everything = opts.full or len(opts.libraries) < len(LIBRARIES)
    names = NAMES if everything else NAMES[:1]
    return [lib for lib in opts.libraries if lib.name in names and not lib.missing()]


def plan(opts: argparse.Namespace, lib: Library):
    """As matrix.plan, for the runs of this part."""
    wanted = argparse.Namespace(**vars(opts))
    wanted.libraries = [sanitized(lib)]
    wanted.g = opts.g or ("1,2" if opts.full else "2")
    wanted.nodes = opts.nodes or "2"
    wanted.all_fixed = not (opts.g or opts.nodes or opts.full)  # in their own settings
    wanted.netns = False
    wanted.k = opts.k or ("" if opts.full else QUICK)
    runs, skipped = matrix.plan(wanted)
    return [one for one in runs if not one.job.netns], skipped


def run(report, opts: argparse.Namespace, outcome) -> None:
    """Builds and runs all of it."""
    if not libasan():
        reason = "the compiler cc has no libasan.so"
        report.add(outcome("sanitize", "all", "", "skipped", reason))
        return
    for lib in chosen(opts):
        group = lib.name + SUFFIX
        if not opts.no_build and not outside.build(report, outcome, lib.build + SUFFIX, BUILD_ARGS):
            continue
        runs, skipped = plan(opts, lib)
        for _, reason, n in skipped:
            report.add(outcome(group, f"{n} runs", "", "skipped", reason))
        with ThreadPoolExecutor(opts.jobs) as pool:
            for one, result in pool.map(execute, runs):
                said = (result.status, result.reason, result.seconds, result.output)
                report.add(outcome(group, one.name, one.setting, *said))
