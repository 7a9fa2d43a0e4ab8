# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Which settings the long matrix has (tests/support/matrix.py)."""

import argparse
import os
import subprocess
import sys

import job_support  # finds tests/support
import matrix
import mpi_libs
import pytest
import run_mpi

FULL = argparse.Namespace(g=None, nodes=None, netns=False, full=True)
QUICK = argparse.Namespace(g=None, nodes=None, netns=False, full=False)
M50, M40, O50, O41 = (mpi_libs.LIBRARIES[name] for name in ("m50", "m40", "o50", "o41"))


def line(name, **how):
    usual = {"expect": "", "skip": "", "np": 4, "ghosts": 1, "nodes": 2, "timeout": 60, "exit": 0}
    return matrix.Test(name, "rma/put", **usual, flags=[], **how)


def ghosts(test):
    return {g for g, _, _ in matrix.settings(test, M50, FULL)}


def test_a_program_runs_with_and_without_ghosts_on_one_and_two_nodes():
    both = [(g, n, False) for g in (0, 1, 2) for n in (1, 2)]
    assert matrix.settings(line("rma/put"), M50, FULL) == [*both, (1, 2, True)]


@pytest.mark.parametrize("more", [{"args": ["c"]}, {"env": ["CASPER_TEST_X=1", "CSP_Y=1"]}])
def test_so_does_another_line_that_changes_the_program(more):
    assert ghosts(line("rma/other_put", **more)) == {0, 1, 2}


def test_a_line_that_only_sets_up_casper_runs_with_ghosts_alone():
    assert ghosts(line("rma/own_put", env=["CSP_POOL_MAX=0"])) == {1, 2}


def test_quick_runs_leave_lines_that_only_set_up_casper_to_one_library():
    own, other = line("rma/own_put", env=["CSP_POOL_MAX=0"]), line("rma/other_put", args=["c"])
    usual = [(1, 2, False)]
    assert matrix.settings(own, M50, QUICK) == usual
    assert [matrix.settings(own, lib, QUICK) for lib in (M40, O50)] == [[], []]
    assert [matrix.settings(other, lib, QUICK) for lib in (M40, O50)] == [usual, []]
    own.flags.append("CORE")
    assert [matrix.settings(own, lib, QUICK) for lib in (M40, O50)] == [usual, usual]


def test_two_runs_do_not_share_their_network_namespaces(monkeypatch):
    monkeypatch.setattr(mpi_libs, "NETNS_NAMES", f"csptest{os.getpid()}n")
    monkeypatch.setattr(mpi_libs, "NETNS", "true")  # instead of netns.sh
    with mpi_libs.network(1):
        with pytest.raises(SystemExit, match="CASPER_NETNS"), mpi_libs.network(1):
            pass
    with mpi_libs.network(1):
        pass


def run_of_put(lib):
    return matrix.make_run(line("rma/put", args=[], env=[], above=[], below=[]), lib, 1, 2, False)


def hangs(launcher):
    return run_mpi.Result("failed", "took longer than 30 s", 30.0, "", launcher)


@pytest.mark.parametrize("launcher, status, left", [(True, "passed", 0), (False, "failed", 1)])
def test_a_run_is_made_again_only_if_the_launcher_alone_hangs(
    launcher, status, left, monkeypatch, tmp_path
):
    known = tmp_path / "known"
    known.write_text("m50 rma/put 2 launcher it hangs\n")
    monkeypatch.setattr(matrix, "KNOWN_PLAIN", known)
    results = [hangs(launcher), run_mpi.Result("passed", "", 1.0, "")]
    monkeypatch.setattr(run_mpi, "run", lambda job: results.pop(0))
    run = run_of_put(M50)
    assert run.job.timeout == matrix.KNOWN_LIMIT_S
    assert matrix.execute(run)[1].status == status
    assert len(results) == left


@pytest.fixture
def put(monkeypatch, tmp_path):
    """The run of a test whose exit code the launcher is known to lose."""
    known = tmp_path / "known"
    known.write_text("m50 rma/put 2 again /exit code 1$/ it loses the code\n")
    monkeypatch.setattr(matrix, "KNOWN_PLAIN", known)
    return run_of_put(M50)


@pytest.mark.parametrize("lost, status", [(2, "passed"), (3, "failed")])
def test_a_run_whose_exit_code_is_lost_is_made_again(put, lost, status, monkeypatch):
    results = [run_mpi.Result("failed", "exit code 1", 1.0, "")] * lost
    results += [run_mpi.Result("passed", "", 1.0, "")]
    monkeypatch.setattr(run_mpi, "run", lambda job: results.pop(0))
    assert matrix.execute(put)[1].status == status


def test_another_exit_code_is_no_lost_one(put, monkeypatch):
    results = [run_mpi.Result("failed", "exit code 11", 1.0, ""), None]
    monkeypatch.setattr(run_mpi, "run", lambda job: results.pop(0))
    assert matrix.execute(put)[1].status == "failed"


IMPROPERLY = (
    "----\nmpiexec has exited due to process rank 2 with PID 9 on\nnode node0 exiting improperly.\n"
)


@pytest.mark.parametrize(
    "reason, output, runs",
    [
        ("exit code 1", IMPROPERLY, 2),
        ("exit code 1", IMPROPERLY + "casper: error: exit(1) was called", 1),
        ("exit code 1", "wrong data", 1),
        ("exit code 11", IMPROPERLY, 1),
    ],
)
def test_open_mpi_4_alone_takes_a_process_for_one_without_finalize(
    reason, output, runs, monkeypatch
):
    results = [run_mpi.Result("failed", reason, 1.0, output), run_mpi.Result("passed", "", 1.0, "")]
    monkeypatch.setattr(run_mpi, "run", lambda job: results.pop(0))
    matrix.execute(run_of_put(O41))
    assert len(results) == 2 - runs


def test_a_runner_that_fails_is_a_failed_run(put, monkeypatch):
    def fail(_):
        raise OSError("no more processes")

    monkeypatch.setattr(run_mpi, "run", fail)
    result = matrix.execute(put)[1]
    assert result.status == "failed" and "no more processes" in result.output


@pytest.mark.parametrize("output, status", [("Abort(6)", "skipped"), ("wrong data", "failed")])
def test_a_failure_other_than_the_known_one_counts(output, status, monkeypatch, tmp_path):
    known = tmp_path / "known"
    known.write_text("m50 rma/put 2 any /Abort\\(|exit code 255/ it aborts\n")
    monkeypatch.setattr(matrix, "KNOWN_PLAIN", known)
    monkeypatch.setattr(run_mpi, "run", lambda job: run_mpi.Result("failed", "x", 1.0, output))
    run = run_of_put(M50)
    result = matrix.execute(run)[1]
    assert result.status == status
    assert status == "failed" or result.reason == "the plain library fails: it aborts"
    assert run.job.timeout > matrix.KNOWN_LIMIT_S  # it is no hang


@pytest.mark.parametrize("program, alone", [("sleep", False), ("put", True)])
def test_a_process_of_the_program_is_told_from_the_launcher(program, alone, tmp_path):
    mark = f"test-{os.getpid()}-{program}"
    with (tmp_path / "out").open("wb") as out:
        proc = run_mpi.start_marked(["sleep", "60"], dict(os.environ), tmp_path, out, mark)
    try:
        assert run_mpi.who_waits(mark, program)[1] is alone
    finally:
        run_mpi.end_all(proc, mark)


def test_the_processes_of_a_part_are_those_of_the_whole_too(monkeypatch, tmp_path):
    whole, part = f"test-{os.getpid()}-whole", f"test-{os.getpid()}-part"
    monkeypatch.setenv(run_mpi.MARK, whole)
    with (tmp_path / "out").open("wb") as out:
        proc = run_mpi.start_marked(["sleep", "60"], dict(os.environ), tmp_path, out, part)
    try:
        assert run_mpi.marked(whole) == run_mpi.marked(part) == [proc.pid]
        assert run_mpi.marked("test") == []
    finally:
        run_mpi.end_all(proc, part)


def test_a_linked_program_without_casper_has_no_ghosts():
    job = run_mpi.Job(M50, "x", 1, None, 1, linked=True)
    assert run_mpi.environment(job, {})["CSP_NG"] == "0"


@pytest.mark.parametrize("name, status", [("i21", "skipped"), ("m50", "failed")])
def test_a_skip_whose_exit_code_the_launcher_mislays(name, status):
    job = run_mpi.Job(mpi_libs.LIBRARIES[name], "x", 1, 0, 2)
    assert run_mpi.judge(job, 255, "skipped: because\n")[0] == status
    assert run_mpi.judge(job, 255, "1 errors\n")[0] == "failed"
    assert run_mpi.judge(job, run_mpi.SKIPPED, "")[0] == "skipped"


@pytest.mark.parametrize("words", [["--nodes", "netns"], ["-g", "some"], ["--only", "all"]])
def test_the_driver_refuses_what_it_does_not_know(words):
    tool = [sys.executable, str(job_support.ROOT / "tests/support/driver.py")]
    done = subprocess.run([*tool, *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert words[1] in done.stderr
