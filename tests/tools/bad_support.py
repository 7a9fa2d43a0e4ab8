# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Runs jobs under bad conditions, in a mount namespace with a /dev/shm of its own, so that its size can be
chosen and what is left in it belongs to the run alone."""

import subprocess
from dataclasses import dataclass

import job_support
import pytest
from job_support import LIBRARIES, mpi_libs  # noqa: F401

# Runs the job with its own /dev/shm of size $1 and says what is left in it.
NAMESPACE = """
mount -t tmpfs -o size="$1" tmpfs /dev/shm || exit 126
shift
"$@"
code=$?
for i in 1 2 3 4 5 6 7 8 9 10; do
    [ -z "$(ls -A /dev/shm)" ] && break
    sleep 0.2
done
for name in $(ls -A /dev/shm); do echo "left: $name"; done
exit $code
"""


@dataclass
class Done(job_support.Done):
    """What came of a run."""

    left: list[str]  # names in /dev/shm


@dataclass
class Bad(job_support.Job):
    """How to run."""

    shm: str = "1g"


def namespaces_work() -> bool:
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /dev/shm"],
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def library(name: str) -> mpi_libs.Library:
    """The MPI library with its build and test programs; skips what is missing."""
    lib = job_support.library(name)
    if not namespaces_work():
        pytest.skip("mount namespaces are not permitted")
    return lib


def run(bad: Bad) -> Done:
    """Runs to the end; a job that hangs is ended and fails the test."""
    done = job_support.run(bad, ("unshare", "-m", "sh", "-c", NAMESPACE, "sh", bad.shm))
    return apart(done)


def apart(done: job_support.Done) -> Done:
    """The names in /dev/shm, apart from what the job said."""
    lines = done.output.splitlines(keepends=True)
    left = [line.rstrip()[6:] for line in lines if line.startswith("left: ")]
    said = "".join(line for line in lines if not line.startswith("left: "))
    return Done(**{**vars(done), "output": said}, left=left)
