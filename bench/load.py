# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""How much of the machine others used during a run: a benchmark that shares its cores with somebody
else's work measures that work. Linux only; elsewhere nothing counts as foreign."""

import contextlib
import ctypes
import os
import resource
import time

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Daemons of mpiexec become our children, so that their time is known to be ours."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap():
    time.sleep(0.05)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass


def _busy_s():
    """Seconds that all cores together have worked since the machine started."""
    try:
        with open("/proc/stat", encoding="ascii") as f:
            fields = [int(x) for x in f.readline().split()[1:9]]
    except OSError:
        return 0.0
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def _own_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


QUIET_CORES = 0.1  # others may use so much of the machine during a run


def wait_quiet(limit_s):
    """Waits for a quiet half second, at most so long."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        meter = Meter()
        time.sleep(0.5)
        if meter.stop() <= QUIET_CORES:
            return


class Meter:
    """Starts when it is made; stop() gives the number of cores that others kept busy meanwhile."""

    def __init__(self):
        self.start = (time.monotonic(), _busy_s(), _own_s())

    def stop(self):
        _reap()
        wall, busy, own = time.monotonic() - self.start[0], _busy_s(), _own_s()
        foreign = (busy - self.start[1]) - (own - self.start[2])
        return max(0.0, round(foreign / wall, 3))
