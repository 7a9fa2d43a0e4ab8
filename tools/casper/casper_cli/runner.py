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

FORWARDED = {
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
}
GRACE_S = 10  # from asking the launcher to end (SIGTERM) to killing what is left
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Outcome:
    """How the launcher ended."""

    code: int  # exit code for our caller, 128 + signal if it was killed
    signal: int = 0  # the signal that killed the launcher itself
    timed_out: bool = False
    interrupted: int = 0  # a signal that we passed on or that the terminal sent


def _in_child(old_mask):
    """Between fork and exec: the usual signal mask, and an end when this process is killed."""

    def prepare():
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
        try:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
        except (OSError, AttributeError):
            pass  # only a comfort

    return prepare


def _children(pid):
    """Process ids below pid, all generations."""
    parents = {}
    for entry in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        below = [child for child, p in parents.items() if p == parent]
        found += below
        todo += below
    return found


def kill_tree(pid):
    """Kills a process of ours and all below it."""
    for victim in [*_children(pid), pid]:
        try:
            os.kill(victim, signal.SIGKILL)
        except OSError:
            pass


def _wait(child, deadline, state):
    """Until the child ends or the deadline passes; returns whether it ended."""
    while child.poll() is None:
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        info = signal.sigtimedwait(FORWARDED | {signal.SIGCHLD}, min(left, 3600))
        if info is None or info.si_signo == signal.SIGCHLD:
            continue
        if info.si_signo not in (signal.SIGUSR1, signal.SIGUSR2):
            state["interrupted"] = info.si_signo
        if info.si_code <= 0:  # sent by a process to us alone, not by the terminal to the group
            child.send_signal(info.si_signo)
    return True


def run(words, env, timeout=None, **popen):
    """Runs `words`; returns the Outcome. `timeout` in seconds."""
    state = {"interrupted": 0}
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED | {signal.SIGCHLD})
    child = None
    try:
        child = subprocess.Popen(words, env=env, preexec_fn=_in_child(old_mask), **popen)
        limit = time.monotonic() + timeout if timeout else float("inf")
        timed_out = not _wait(child, limit, state)
        if timed_out:
            child.terminate()
            if not _wait(child, time.monotonic() + GRACE_S, state):
                kill_tree(child.pid)
        code = child.wait()
    finally:
        if child is not None and child.poll() is None:
            kill_tree(child.pid)
        while signal.sigtimedwait({signal.SIGCHLD}, 0):
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
    return Outcome(
        code=124 if timed_out else code if code >= 0 else 128 - code,
        signal=-code if code < 0 and not timed_out else 0,
        timed_out=timed_out,
        interrupted=state["interrupted"],
    )
