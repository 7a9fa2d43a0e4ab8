#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Stands in for ssh: agent.sh [OPTIONS] HOST COMMAND... runs COMMAND on this machine under the host
# name HOST, so that an MPI library takes it for a node of its own; with CASPER_AGENT_NETNS=1 also in
# the network namespace HOST (made by netns.sh).
while [ $# -gt 0 ]; do
    case $1 in
    -[bcDEeFIiJLlmOopQRSWw]) shift 2 ;; # ssh options with a value
    -*) shift ;;
    *) break ;;
    esac
done
host=$1
shift
user=
[ "$(id -u)" = 0 ] || user=--map-root-user
if [ "${CASPER_AGENT_NETNS:-0}" = 1 ]; then
    set -- ip netns exec "$host" /bin/sh -c "$*"
else
    set -- /bin/sh -c "$*"
fi
# shellcheck disable=SC2016,SC2086
exec unshare $user --uts /bin/sh -c 'hostname "$0" && exec "$@"' "$host" "$@"
