# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""What this machine allows: shared memory, memfd, /proc/PID/fd, process_vm_readv.

The processes of a job are siblings, so the access probes use two children of this process.
"""

import ctypes
import mmap
import os
import resource
import signal
import struct

from casper_cli import machine

MESSAGE = b"casper-probe-of-shared-memory..."
SHM_DIR = "/dev/shm"
_PR_SET_PTRACER = 0x59616D61


class _Iovec(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def shm_room(path=SHM_DIR):
    """(free bytes, size in bytes) of the shared memory file system, 0 if it has no limit, or None."""
    try:
        info = os.statvfs(path)
    except OSError:
        return None
    return info.f_bavail * info.f_frsize, info.f_blocks * info.f_frsize


def _owner(report, release):
    """First child: a memfd and a buffer with MESSAGE; tells where, waits until released."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PTRACER, ctypes.c_ulong(-1).value, 0, 0, 0)  # as the library does
    fd = libc.memfd_create(b"casper-probe", 0)  # not every Python has it that the library runs with
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.ftruncate(fd, mmap.PAGESIZE)
    os.pwrite(fd, MESSAGE, 0)
    buffer = ctypes.create_string_buffer(MESSAGE)
    os.write(report, struct.pack("iQ", fd, ctypes.addressof(buffer)))
    os.read(release, 1)


def _try_proc_fd(pid, fd):
    other = os.open(f"/proc/{pid}/fd/{fd}", os.O_RDWR)
    with mmap.mmap(other, mmap.PAGESIZE) as view:
        return view[: len(MESSAGE)] == MESSAGE


def _try_vm_read(pid, address):
    libc = ctypes.CDLL(None, use_errno=True)
    target = ctypes.create_string_buffer(len(MESSAGE))
    here = _Iovec(ctypes.addressof(target), len(MESSAGE))
    there = _Iovec(address, len(MESSAGE))
    read = libc.process_vm_readv
    read.restype = ctypes.c_ssize_t
    got = read(
        pid, ctypes.byref(here), ctypes.c_ulong(1), ctypes.byref(there), ctypes.c_ulong(1), 0
    )
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return target.raw == MESSAGE


def _fork(work, *args):
    """Runs work(*args) in a child that never returns here; gives its process id."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = 0 if work(*args) in (None, True) else 1
        except OSError as error:
            code = min(error.errno or 1, 250)
        finally:
            os._exit(code)
    return pid


def _sibling(work, *args):
    """ "" if work succeeds in another child of this process, else why not."""
    _, status = os.waitpid(_fork(work, *args), 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    code = os.WEXITSTATUS(status)
    return os.strerror(code) if code else ""


def sibling_access():
    """{"memfd": why not or "", "proc_fd": ..., "process_vm_readv": ...}."""
    report, release = os.pipe(), os.pipe()
    owner = _fork(_owner, report[1], release[0])
    os.close(report[1])
    try:
        told = os.read(report[0], struct.calcsize("iQ"))
        if not told:
            _, status = os.waitpid(owner, 0)
            owner = 0
            why = os.strerror(os.WEXITSTATUS(status)) if os.WIFEXITED(status) else "killed"
            return {"memfd": why, "proc_fd": "no memfd", "process_vm_readv": "no memfd"}
        fd, address = struct.unpack("iQ", told)
        return {
            "memfd": "",
            "proc_fd": _sibling(_try_proc_fd, owner, fd),
            "process_vm_readv": _sibling(_try_vm_read, owner, address),
        }
    finally:
        os.write(release[1], b".")
        for end in (report[0], release[0], release[1]):
            os.close(end)
        if owner:
            os.waitpid(owner, 0)


def look():
    """Everything about the machine, as a flat dict for people and for JSON."""
    cpus = machine.cpus()
    room = shm_room()
    given = machine.allocation(os.environ)
    return {
        "cores": cpus.cores,
        "numa_domains": len(cpus.domains),
        "shm_free_bytes": room[0] if room else None,
        "shm_size_bytes": room[1] if room else None,
        "memory_limit_bytes": machine.memory_limit(),
        "memlock_bytes": _memlock(),
        "batch": f"{given.system}, {given.nodes} node(s)" if given else "",
        **sibling_access(),
    }


def _memlock():
    soft = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    return None if soft == resource.RLIM_INFINITY else soft
