# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What a run's exit status says about its end, in words."""

import signal

HINTS = {
    signal.SIGBUS: "Shared memory is full or was cut: look at df /dev/shm and the memory limit.",
    signal.SIGKILL: "Killed from outside: often the kernel's out-of-memory killer (dmesg), or a "
    "batch system's limit. If a ghost was the victim, the library names it above.",
    signal.SIGSEGV: "Run it with --plain: if it fails there too, the program or the MPI library "
    "is at fault.",
    signal.SIGABRT: "A broken invariant or an assertion ended it: its message is above.",
    signal.SIGILL: "The program or the library was built for another processor.",
}


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _by_signal(number, certain=True):
    what = f"a process was ended by {signal_name(number)}"
    if not certain:
        what = f"a process was ended by {signal_name(number)}, or returned {number}"
    return what, HINTS.get(number, "")


def killed_by(code, family):
    """(signal number or 0, certain?) that a launcher's exit code stands for."""
    if 128 < code < 128 + 65:
        return code - 128, True
    if family == "mpich" and code in (4, 6, 7, 8, 9, 11, 15):
        return code, False  # Hydra hands on the raw wait status: 9 is SIGKILL or exit code 9
    return 0, True


def explain(outcome, family, ghosts):
    """(what happened, hint) for a run that did not end with exit code 0."""
    if outcome.timed_out:
        return (
            "the time limit of --timeout is over; the job was ended",
            "Set CSP_WATCHDOG_S to a few seconds to learn which process waits for what.",
        )
    if outcome.interrupted:
        return f"ended by {signal_name(outcome.interrupted)} as asked", ""
    if outcome.signal:
        return f"the launcher itself was ended by {signal_name(outcome.signal)}", ""
    number, certain = killed_by(outcome.code, family)
    if number:
        return _by_signal(number, certain)
    if outcome.code == 127:
        return "the launcher did not find the program (exit code 127)", ""
    if family == "intel" and outcome.code == 255:
        return (
            "a process was killed or ended without MPI_Finalize (exit code 255)",
            "Intel MPI names the process and the signal above.",
        )
    hint = "Run it with --plain to see whether Casper matters." if ghosts else ""
    return f"the job ended with exit code {outcome.code}", hint
