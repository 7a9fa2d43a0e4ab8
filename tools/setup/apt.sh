#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Debian packages by name: tools/setup/apt.sh PACKAGE... installs those that are missing when it may
# (root, apt-get), else says which are missing. Exit code: 0 all there, 1 some missing.
set -u
missing=
for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
    *"install ok installed"*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -z "$missing" ] && exit 0

say() { echo "setup: $*" >&2; }

if ! command -v apt-get >/dev/null 2>&1; then
    say "not a Debian system; missing:$missing"
    exit 1
fi
if [ "$(id -u)" != 0 ]; then
    say "missing and not root, so skipped; to have them: apt-get install$missing"
    exit 1
fi
say "installing$missing"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
# The package lists may be absent or old: refresh them only when the first try fails.
# shellcheck disable=SC2086
install() { apt-get install -y -q --no-install-recommends $missing >>"$log" 2>&1 </dev/null; }
if install || { apt-get update -q >>"$log" 2>&1 && install; }; then
    rm -f "$log"
    exit 0
fi
# One unknown package must not keep the others away.
rc=0
all=$missing
for missing in $all; do
    install || { say "could not install $missing: $(grep '^E:' "$log" | tail -1)"; rc=1; }
done
rm -f "$log"
exit $rc
