#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
# Stands in for ssh: runs the command here, in a UTS namespace with the host name that was asked for,
# so that one machine looks like several to mpiexec. Usage: node_agent.sh [options] HOST COMMAND...
while [ $# -gt 0 ]; do
    case "$1" in
    -[bcDeFIiLlmOopQRSWw]) shift 2 ;;
    -*) shift ;;
    *) break ;;
    esac
done
host=$1
shift
exec unshare --uts /bin/sh -c 'hostname "$0"; exec /bin/sh -c "$*"' "$host" "$@"
