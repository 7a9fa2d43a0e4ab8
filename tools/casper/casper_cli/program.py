# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
"""Which MPI library does the program use? Looks at the command line, never runs the program.

A word of the command that is an ELF program linked to MPI decides; a Python interpreter is asked
what mpi4py loads. Only if none does, scripts are searched for the programs that they name.
"""

import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass, replace

from casper_cli import elf, ldso, mpilib
from casper_cli.errors import CasperError

_PYTHON = re.compile(r"(python|pypy)[\d.]*$")
_WORD = re.compile(r"[\w./+~-]+")
_SCRIPT_BYTES = 1 << 16

# Initialises nothing: loads mpi4py's extension and looks which MPI library came with it.
_ASK_MPI4PY = """
import os, sys
try:
    import mpi4py
    mpi4py.rc.initialize = False
    from mpi4py import MPI
except Exception as error:
    sys.stderr.write("%s: %s" % (type(error).__name__, error))
    sys.exit(3)
for line in open("/proc/self/maps"):
    if "/" in line:
        print(line[line.index("/"):].rstrip())
"""


@dataclass(frozen=True)
class Found:
    """The MPI library of a program and where that was seen."""

    mpi: str  # path of the library
    how: str
    at_start: bool  # loaded with the program, not later by dlopen
    direct: bool = False  # the program itself needs it: loaded before what libcasper needs
    guessed: bool = False  # by the text of a script, which may name others, too


def locate(word, env):
    """The executable file a word of a command line stands for, or None."""
    if "/" in word:
        return word if os.path.isfile(word) and os.access(word, os.X_OK) else None
    return shutil.which(word, path=env.get("PATH"))


def mpi_of_elf(path, env):
    """Path of the core MPI library that an ELF file is linked to, directly or not; or None."""
    try:
        libraries = ldso.closure(path, env)
    except (OSError, elf.NotElf):
        return None
    for name, where in libraries.items():
        if not mpilib.is_core_name(name):
            continue
        if where is None:
            raise CasperError(
                f"{path} needs {name}, which the loader does not find",
                "Add the folder of that MPI library to LD_LIBRARY_PATH (module load, or export).",
            )
        return where
    return None


def _needs_it_itself(path):
    return any(mpilib.is_core_name(name) for name in elf.read(path).needed)


def ask_mpi4py(python, env):
    """(path of the MPI library that mpi4py loads under this interpreter or None, why not)."""
    try:
        asked = subprocess.run(
            [python, "-c", _ASK_MPI4PY],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env=mpilib.without_preload(env),
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    loaded = asked.stdout.decode("utf-8", "replace").splitlines()
    hits = [path for path in loaded if mpilib.is_core_name(path)]
    if hits:
        return hits[0], ""
    return None, asked.stderr.decode("utf-8", "replace").strip() or "mpi4py loaded no MPI library"


def _shebang(path):
    """Interpreter words of a script's first line; [] if it is no script."""
    with open(path, "rb") as file:
        first = file.readline(4096)
    if not first.startswith(b"#!"):
        return []
    words = first[2:].decode("utf-8", "replace").split()
    if words and os.path.basename(words[0]) == "env":
        words = [w for w in words[1:] if not w.startswith("-") and "=" not in w]
    return words


def _programs_in_script(path, env):
    with open(path, "rb") as file:
        text = file.read(_SCRIPT_BYTES).decode("utf-8", "replace")
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    words = dict.fromkeys(_WORD.findall("\n".join(lines)))
    found = (locate(word, env) for word in words)
    return [where for where in found if where and elf.is_elf(where)]


def _is_python(path):
    names = (path, os.path.realpath(path))
    return any(_PYTHON.match(os.path.basename(name)) for name in names)


def _look_at_elf(path, env, reasons, how):
    """Found for one ELF program, or None; reasons collects why not."""
    mpi = mpi_of_elf(path, env)
    if mpi:
        return Found(mpi, f"{how} is linked to it", True, _needs_it_itself(path))
    if not _is_python(path):
        reasons.append(f"{path}: not linked to an MPI library")
        return None
    mpi, why = ask_mpi4py(path, env)
    if mpi:
        return Found(mpi, f"mpi4py loads it under {path}", False)
    reasons.append(f"{path}: {why}")
    return None


def _look_at_script(path, env, reasons):
    """Found for one of the programs that a script names, or None."""
    named = _programs_in_script(path, env)
    for program in sorted(named, key=_is_python):  # an interpreter only if nothing else says it
        found = _look_at_elf(program, env, [], f"{program}, named in the script {path},")
        if found:
            return replace(found, guessed=True)
    reasons.append(f"{path}: a script that names no program linked to MPI")
    return None


def _sorted_out(command, env, reasons):
    """The files of a command line: (programs, and what a Python script is run by; other scripts)."""
    programs, scripts = [], []
    for i, word in enumerate(command):
        path = locate(word, env)
        if path is None:
            continue
        if not os.access(path, os.R_OK):
            reasons.append(f"{path}: may be run, but not read")
            continue
        if elf.is_elf(path) or _is_python(path):
            programs.append(path)
            continue
        first = _shebang(path)
        interpreter = locate(first[0], env) if first and i == 0 else None
        if interpreter and _is_python(interpreter):
            programs.append(interpreter)
        elif first or i == 0:
            scripts.append(path)
    return programs, scripts


def find_mpi(command, env=None):
    """Found for a command line (list of words); raises CasperError if nothing in it uses MPI."""
    env = os.environ if env is None else env
    if locate(command[0], env) is None:
        raise CasperError(*_not_found(command[0]))
    reasons = []
    programs, scripts = _sorted_out(command, env, reasons)
    for path in programs:
        found = _look_at_elf(path, env, reasons, path)
        if found:
            return found
    for path in scripts:  # what they say is a guess
        found = _look_at_script(path, env, reasons)
        if found:
            return found
    raise CasperError(
        "the program's MPI library was not found (" + "; ".join(reasons[:3]) + ")",
        "Say which one it uses: --mpi mpich, --mpi openmpi, --mpi intel, or --mpi /path/libmpi.so.",
    )


def _obstacle(path):
    """Why the dynamic loader takes no libcasper into this program, or the empty string."""
    try:
        read = elf.read(path)
    except (OSError, elf.NotElf):
        return ""
    if os.stat(path).st_mode & (stat.S_ISUID | stat.S_ISGID):
        return "it runs with another user's or group's rights (setuid, setgid)"
    return "" if read.interp or read.needed else "it is statically linked"


def refuse_unloadable(command, env):
    """Raises CasperError for a program without libcasper; one that starts another one may be any."""
    path = locate(command[0], env)
    starts_another = any(locate(word, env) for word in command[1:])
    why = _obstacle(path) if path and not starts_another else ""
    if why:
        raise CasperError(
            f"Casper cannot be loaded into {path}: {why}",
            "Start it without ghosts: --plain; or link the program dynamically.",
        )


def _not_found(word):
    if "/" not in word and os.path.isfile(word):
        return f"{word} is not on PATH", f"For the file in this folder write ./{word}"
    if os.path.isfile(word):
        return f"{word} is not executable", f"chmod +x {word}, or name its interpreter before it."
    return f"program not found: {word}", "Check the spelling, or give its full path."
