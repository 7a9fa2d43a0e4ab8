# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Finds the libraries that a program would load, by the rules of the dynamic loader (ld.so(8)).

Without running anything: RPATH, LD_LIBRARY_PATH, RUNPATH, the loader's cache, default directories.
"""

import functools
import os
import platform
import struct
from collections import OrderedDict

from casper_cli import elf as elfmod

CACHE = "/etc/ld.so.cache"


def default_dirs():
    triplet = f"{platform.machine()}-linux-gnu"
    return [f"/lib/{triplet}", f"/usr/lib/{triplet}", "/lib64", "/usr/lib64", "/lib", "/usr/lib"]


@functools.lru_cache(maxsize=None)
def cache_entries(path=CACHE):
    """{name: [paths]} of the loader's cache; empty when it is not there or of an unknown kind."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return {}
    start = data.find(b"glibc-ld.so.cache1.1")
    if start < 0:
        return {}
    data = data[start:]
    result = {}
    try:
        (count,) = struct.unpack_from("=I", data, 20)
        for i in range(count):
            _, key, value = struct.unpack_from("=iII", data, 48 + 24 * i)
            name, where = (data[k : data.index(b"\0", k)].decode() for k in (key, value))
            result.setdefault(name, []).append(where)
    except (struct.error, ValueError, UnicodeDecodeError):
        return {}
    return result


def _expand(directory, origin):
    for variable in ("$ORIGIN", "${ORIGIN}"):
        directory = directory.replace(variable, origin)
    return directory.replace("${LIB}", "lib").replace("$LIB", "lib")


def _search_dirs(elf, path, inherited, env):
    origin = os.path.dirname(os.path.realpath(path))
    rpath = [] if elf.runpath else [_expand(d, origin) for d in elf.rpath] + inherited
    library_path = [d or "." for d in env.get("LD_LIBRARY_PATH", "").split(":") if d]
    return rpath + library_path + [_expand(d, origin) for d in elf.runpath], rpath


def _loadable(path, machine):
    try:
        return elfmod.read(path).machine == machine
    except (OSError, elfmod.NotElf):
        return False


def _find(name, machine, dirs):
    if "/" in name:
        return name if _loadable(name, machine) else None
    candidates = [os.path.join(d, name) for d in dirs]
    candidates += cache_entries().get(name, [])
    candidates += [os.path.join(d, name) for d in default_dirs()]
    return next((c for c in candidates if os.path.isfile(c) and _loadable(c, machine)), None)


def closure(path, env=None):
    """All libraries that `path` needs, in load order: {needed name: path, or None if not found}.

    Raises NotElf or OSError if `path` itself cannot be read.
    """
    env = os.environ if env is None else env
    top = elfmod.read(path)
    found = OrderedDict()
    queue = [(top, path, [])]
    while queue:
        elf, where, inherited = queue.pop(0)
        dirs, rpath = _search_dirs(elf, where, inherited, env)
        for name in elf.needed:
            if name in found:
                continue
            found[name] = _find(name, top.machine, dirs)
            if found[name]:
                queue.append((elfmod.read(found[name]), found[name], rpath))
    return found
