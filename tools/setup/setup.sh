#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# What a goal of the Makefile needs on this machine: tools/setup/setup.sh build|test|lint
#   build  a C compiler with its headers, and the default MPI library (unless $MPICC names one)
#   test   all that `make test` can use: what cannot be had is named, the tests skip it (but not clang-format)
#   lint   the checkers
# Quick when all is there. Exit code 1 only when the goal is impossible.
set -u
cd "$(dirname "$0")/../.." || exit 1
here=tools/setup

say() { echo "setup: $*" >&2; }

need_compiler() {
    for tool in cc cmake make python3; do
        command -v $tool >/dev/null 2>&1 || {
            say "$tool is missing: install gcc, make, cmake and python3"
            return 1
        }
    done
    [ -e /usr/include/stdio.h ] && return 0
    echo '#include <stdio.h>' | cc -E - >/dev/null 2>&1 && return 0
    $here/apt.sh libc6-dev || {
        say "the C compiler has no headers: install libc6-dev"
        return 1
    }
}

need_default_mpi() {
    $here/env.sh m50 && return 0
    [ -n "${MPICC:-}" ] && return 0
    say "no default MPI library; with one of this machine: make MPICC=/path/to/mpicc"
    return 1
}

setup_test() {
    # shellcheck disable=SC2046 # a list
    $here/apt.sh $(sed 's/#.*//' $here/apt-test.txt) || say "tests that need these packages are skipped"
    for name in o50 i21 py bench; do
        $here/env.sh $name || say "tests that need build/env/$name are skipped"
    done
    $here/env.sh lint || say "no clang-format: tests/arch/test_generated.py fails"
    return 0
}

need_compiler || exit 1
case ${1:-} in
build) need_default_mpi ;;
test) need_default_mpi && setup_test ;;
lint) $here/env.sh lint m50 ;;
*)
    echo "usage: setup.sh build|test|lint" >&2
    exit 2
    ;;
esac
