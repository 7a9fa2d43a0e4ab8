#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Private Python environments: tools/setup/env.sh NAME... makes build/env/NAME with exactly the
# packages of tools/setup/requirements/NAME.txt. Does nothing when it is there already. One NAME
# that fails does not stop the others. Exit code: 0 all there, 1 some missing (said on stderr).
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$(pwd)
reqs=$root/tools/setup/requirements

say() { echo "setup: $*" >&2; }

# venv needs ensurepip, which Debian keeps in a package of its own.
need_venv() {
    python3 -c 'import ensurepip, venv' 2>/dev/null && return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        "$root/tools/setup/apt.sh" python3-venv && python3 -c 'import ensurepip' 2>/dev/null && return 0
    fi
    say "python3 cannot make environments: install python3-venv (Debian: apt-get install python3-venv)"
    return 1
}

fix_i21() { # the wheel keeps gfortran's modules where its compiler script does not look
    mpi=$1/include/mpi
    if [ -d "$mpi/gfortran" ] && [ ! -e "$1/include/gfortran" ]; then
        ln -s mpi/gfortran "$1/include/gfortran"
    fi
}

install() { # install DIR REQUIREMENTS
    "$1/bin/python" -m pip install --disable-pip-version-check --no-input -q -r "$2"
}

make_env() {
    name=$1
    dir=$root/build/env/$name
    if [ ! -f "$reqs/$name.txt" ]; then
        say "there is no environment '$name' (tools/setup/requirements/$name.txt)"
        return 1
    fi
    cmp -s "$reqs/$name.txt" "$dir/.stamp" && return 0
    say "making build/env/$name: $(grep -v '^#' "$reqs/$name.txt" | tr '\n' ' ')"
    need_venv || return 1
    rm -rf "$dir"
    mkdir -p "$root/build/env"
    log=$root/build/env/$name.log
    if ! { python3 -m venv "$dir" && install "$dir" "$reqs/$name.txt"; } >"$log" 2>&1; then
        tail -n 3 "$log" >&2
        say "build/env/$name could not be made, see build/env/$name.log (no network?)"
        return 1
    fi
    [ "$name" = i21 ] && fix_i21 "$dir"
    cp "$reqs/$name.txt" "$dir/.stamp"
}

mkdir -p "$root/build/env"
exec 9>"$root/build/env/.lock"
command -v flock >/dev/null 2>&1 && flock 9
rc=0
for name in "$@"; do
    make_env "$name" || rc=1
done
exit $rc
