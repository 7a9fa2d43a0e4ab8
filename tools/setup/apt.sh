#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Debian packages by name: tools/setup/apt.sh PACKAGE... installs those that are missing when it may
# (root, apt-get), else says which are missing. Exit code: 0 all there, 1 some missing.
set -u

say() { echo "setup: $*" >&2; }

have=" $(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii *//p' | tr '\n' ' ')"
missing=
for package in "$@"; do
    case $have in
    *" $package "*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -z "$missing" ] && exit 0

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
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list
install() { apt-get install -y -q --no-install-recommends $missing >>"$log" 2>&1 </dev/null; }

install && exit 0
# The package lists may be absent or old.
apt-get update -q >>"$log" 2>&1 </dev/null && install && exit 0
# One unknown package must not keep the others away.
rc=0
all=$missing
for missing in $all; do
    install && continue
    say "could not install $missing: $(grep '^E:' "$log" | tail -n 1)"
    rc=1
done
exit $rc
