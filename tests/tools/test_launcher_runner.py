# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Running the launcher: exit codes, signals, the time limit, the explanation; with a fake mpiexec."""

import os
import pty
import signal
import subprocess
import sys
import time
import uuid

import job_support  # noqa: F401
import launcher_support as support
import pytest
import run_mpi
from casper_cli import explain, runner

TELL = """
trap 'echo got TERM; exit 5' TERM
trap 'echo got INT; exit 6' INT
trap 'echo got USR1' USR1
echo ready
n=0
while [ $n -lt 200 ]; do sleep 0.05; n=$((n + 1)); done
"""


@pytest.fixture(autouse=True)
def heard():
    """What is started here hears SIGINT, also where the tests run behind a shell's `&`, which ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def site(tmp_path):
    """A fake MPICH, a program linked to it and a Casper build; mpiexec runs what BODY says."""
    support.write_elf(tmp_path / "lib/libmpich.so.12", soname="libmpich.so.12")
    app = support.write_elf(tmp_path / "app", ["libmpich.so.12"], runpath="$ORIGIN/lib")
    build = support.write_build(tmp_path / "build", "libmpich.so.12")
    support.write_mpiexec(tmp_path / "bin/mpiexec", "mpich", "4.0.2", 'eval "$BODY"')
    return {"app": app, "env": {"CSP_LIBRARY": build}}


def casper_run(site, body, *options, **how):
    env = {**site["env"], "BODY": body}
    return support.casper("run", "-n", 2, *options, "--", site["app"], "arg", env=env, **how)


def start(site, body, **how):
    env = {**os.environ, **site["env"], "BODY": body, "PYTHONPATH": str(support.PACKAGE)}
    return subprocess.Popen(
        [sys.executable, "-m", "casper_cli", "run", "-n", "2", site["app"]],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        **how,
    )


def test_the_launcher_gets_the_line_and_the_exit_code_comes_back(site):
    done = casper_run(site, 'printf "%s " "$@"; exit 3')
    words = done.stdout.split()
    assert done.returncode == 3
    assert words[:2] == ["-n", "3"] and words[-2:] == [site["app"], "arg"]
    assert "exit code 3" in done.stderr


def test_success_is_silent(site):
    done = casper_run(site, "exit 0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_casper_library_variable_is_not_handed_on(site):
    assert casper_run(site, 'echo "[$CSP_LIBRARY]"').stdout == "[]\n"


def test_an_old_preload_of_casper_is_taken_away(site):
    site["env"]["LD_PRELOAD"] = "/nowhere/libcasper.so"
    done = casper_run(site, 'echo "[$LD_PRELOAD]"; echo "$@"')
    assert done.stdout.startswith("[]\n")
    assert f"LD_PRELOAD {site['env']['CSP_LIBRARY']} " in done.stdout


def test_time_limit(site):
    start_s = time.monotonic()
    done = casper_run(site, "sleep 60", "--timeout", 0.5)
    assert done.returncode == 124 and "time limit" in done.stderr
    assert time.monotonic() - start_s < 20


def test_time_limit_against_a_launcher_that_does_not_listen(site, monkeypatch, capfd):
    monkeypatch.setattr(runner, "GRACE_S", 0.5)
    words = ["sh", "-c", "trap '' TERM; (trap '' TERM; sleep 61.5 & wait) & wait; wait"]
    mark = uuid.uuid4().hex
    outcome = runner.run(words, {**os.environ, run_mpi.MARK: mark}, 0.5)
    assert outcome.timed_out and outcome.code == 124
    assert run_mpi.marked(mark) == []


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 5), (signal.SIGINT, 6)])
def test_signals_sent_to_the_command_are_passed_on(site, number, code):
    child = start(site, TELL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert child.stdout.readline() == "ready\n"
    child.send_signal(number)
    out, err = child.communicate(timeout=30)
    assert f"got {number.name[3:]}" in out and child.returncode == code
    assert f"ended by {number.name} as asked" in err


def test_user_signals_do_not_end_the_command(site):
    child = start(site, TELL.replace("-lt 200", "-lt 20"), stdin=subprocess.DEVNULL)
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGUSR1)
    out, _ = child.communicate(timeout=30)
    assert "got USR1" in out and child.returncode == 0


def test_interrupt_from_the_terminal_arrives_once(site):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(site["env"], BODY=TELL, PYTHONPATH=str(support.PACKAGE))
        words = [sys.executable, "-m", "casper_cli", "run", "-n", "2", site["app"]]
        os.execv(sys.executable, words)
    text = b""
    try:
        while b"ready" not in text:
            text += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        while True:
            text += os.read(terminal, 1000)
    except OSError:  # the terminal is closed when the last process ends
        pass
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert text.count(b"got INT") == 1
    assert os.WEXITSTATUS(status) == 6


def test_the_launcher_ends_when_the_command_is_killed(site):
    child = start(site, TELL, stdin=subprocess.DEVNULL)
    assert child.stdout.readline() == "ready\n"
    child.kill()
    out, _ = child.communicate(timeout=30)  # the pipe closes when the launcher has ended
    assert "got TERM" in out


def test_a_launcher_that_dies_by_a_signal():
    outcome = runner.run(["sh", "-c", "kill -9 $$"], dict(os.environ))
    assert (outcome.code, outcome.signal) == (137, 9)
    assert "launcher itself" in explain.explain(outcome, "mpich", 1)[0]


def test_an_interrupt_that_ended_the_child_before_it_is_seen():
    """The terminal sends it to both; the child may be the first to act."""
    script = f"trap '' INT; kill -INT {os.getpid()}; exit 6"
    outcome = runner.run(["sh", "-c", script], dict(os.environ))
    assert (outcome.code, outcome.interrupted) == (6, signal.SIGINT)


def test_a_caller_that_ignores_its_children():
    """As some daemons do, for themselves and for what they start."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        outcome = runner.run(["sh", "-c", "exit 3"], dict(os.environ), timeout=20)
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert (outcome.code, outcome.timed_out) == (3, False)


def test_the_signal_mask_is_restored():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    runner.run(["true"], dict(os.environ))
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


@pytest.mark.parametrize(
    "code, family, words",
    [
        (137, "openmpi", "ended by SIGKILL"),
        (135, "openmpi", "ended by SIGBUS"),
        (9, "mpich", "SIGKILL, or returned 9"),
        (9, "openmpi", "exit code 9"),
        (255, "intel", "killed or ended"),
        (3, "mpich", "exit code 3"),
        (127, "mpich", "did not find"),
    ],
)
def test_explanations(code, family, words):
    assert words in explain.explain(runner.Outcome(code), family, 1)[0]


def test_hints():
    assert "/dev/shm" in explain.explain(runner.Outcome(135), "openmpi", 1)[1]
    assert "--plain" in explain.explain(runner.Outcome(3), "mpich", 1)[1]
    assert explain.explain(runner.Outcome(3), "mpich", 0)[1] == ""
