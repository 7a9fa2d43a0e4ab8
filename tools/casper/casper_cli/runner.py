# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Runs a launcher as a child: passes signals on, keeps a time limit, returns its exit status.

Signals are taken synchronously (sigtimedwait). Those that the terminal sends reach the child by
themselves, as it is in the same process group; only those sent to this process alone are passed on.
"""

import ctypes
import os
import signal
import subprocess
import time
from dataclasses import dataclass

from casper_cli.errors import CasperError

FORWARDED = {
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
}
GRACE_S = 10  # from asking the launcher to end (SIGTERM) to killing what is left
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


@dataclass(frozen=True)
class Outcome:
    """How the launcher ended."""

    code: int  # exit code for our caller, 128 + signal if it was killed
    signal: int = 0  # the signal that killed the launcher itself
    timed_out: bool = False
    interrupted: int = 0  # a signal that we passed on or that the terminal sent


def _prctl(option, value):
    """Both uses are comforts: where they are missing, less is cleaned up."""
    try:
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)
    except (OSError, AttributeError):
        pass


def _in_child(old_mask):
    """Between fork and exec: the usual signal mask, and an end when this process is killed."""

    def prepare():
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    return prepare


def _below(pid):
    """{process id: state} of all generations below pid."""
    parents, states = {}, {}
    for entry in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        parents[int(entry)], states[int(entry)] = int(parent), state
    found, todo = {}, [pid]
    while todo:
        above = todo.pop()
        children = [child for child, parent in parents.items() if parent == above]
        found.update((child, states[child]) for child in children)
        todo += children
    return found


def _reap_orphans(others):
    """Takes the exit status of orphans that ended, so that no zombies stay."""
    for pid in _below(os.getpid()).keys() - others:
        try:
            os.waitpid(pid, os.WNOHANG)
        except OSError:
            pass  # a grandchild


def _kill_rest(others):
    """Kills what a launcher that failed has left: all below this process that was not there before.

    As a subreaper this process becomes the parent of whatever the launcher orphaned.
    """
    give_up = time.monotonic() + 2
    while time.monotonic() < give_up:
        rest = [pid for pid, state in _below(os.getpid()).items() if state != "Z"]
        rest = [pid for pid in rest if pid not in others]
        if not rest:
            return
        for pid in rest:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.01)


def _note(info, state):
    if info.si_signo not in (signal.SIGCHLD, signal.SIGUSR1, signal.SIGUSR2):
        state["interrupted"] = info.si_signo


def _wait(child, deadline, state):
    """Until the child ends or the deadline passes; returns whether it ended."""
    while child.poll() is None:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        info = signal.sigtimedwait(FORWARDED | {signal.SIGCHLD}, min(left, 3600))
        if info is None or info.si_signo == signal.SIGCHLD:
            continue
        _note(info, state)
        if info.si_code <= 0:  # sent by a process to us alone, not by the terminal to the group
            child.send_signal(info.si_signo)
    return True


def _start(words, env, old_mask, popen):
    try:
        return subprocess.Popen(words, env=env, preexec_fn=_in_child(old_mask), **popen)
    except OSError as error:
        raise CasperError(
            f"{words[0]} cannot be started: {error.strerror}", "Name another one with --mpiexec."
        ) from error


def _end(child, state):
    """The time is over: asks the launcher to end its job."""
    child.terminate()
    _wait(child, time.monotonic() + GRACE_S, state)


def run(words, env, timeout=None, **popen):
    """Runs `words`; returns the Outcome. `timeout` in seconds."""
    state = {"interrupted": 0}
    others = set(_below(os.getpid()))
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored nobody hears of the end
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED | {signal.SIGCHLD})
    child, ended = None, False
    try:
        child = _start(words, env, old_mask, popen)
        ended = _wait(child, time.monotonic() + timeout if timeout else float("inf"), state)
        if not ended:
            _end(child, state)
    finally:
        if child:
            if not ended or child.returncode < 0:
                _kill_rest(others)
            code = child.wait()
            _reap_orphans(others)
        info = signal.sigtimedwait(FORWARDED | {signal.SIGCHLD}, 0)
        while info:
            _note(info, state)  # it came to us, too, but the child had ended before we looked
            info = signal.sigtimedwait(FORWARDED | {signal.SIGCHLD}, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
    return Outcome(
        code=124 if not ended else code if code >= 0 else 128 - code,
        signal=-code if code < 0 and ended else 0,
        timed_out=not ended,
        interrupted=state["interrupted"],
    )
