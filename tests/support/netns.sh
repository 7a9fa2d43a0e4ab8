#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Nodes with a network between them, on one machine: network namespaces csp0, csp1, ... each with an
# interface veth0 on a bridge in the namespace csphub, from which jobs are started.
#   netns.sh up N    makes them (removes old ones first)
#   netns.sh down    removes them
#   netns.sh probe   exit code 0 if this machine permits it
#   netns.sh run COMMAND...   runs COMMAND in the hub, under the host name csphub
set -eu
net=10.213.77

down() {
    for ns in $(ip netns list 2>/dev/null | awk '$1 ~ /^csp([0-9]+|hub)$/ { print $1 }'); do
        ip netns delete "$ns"
        rm -rf "/etc/netns/$ns"
    done
}

hosts() { # hosts NAMESPACE N: every node knows every name
    mkdir -p "/etc/netns/$1"
    {
        echo "127.0.0.1 localhost"
        echo "$net.250 csphub"
        k=0
        while [ "$k" -lt "$2" ]; do
            echo "$net.$((k + 1)) csp$k"
            k=$((k + 1))
        done
    } >"/etc/netns/$1/hosts"
}

up() {
    down
    ip netns add csphub
    hosts csphub "$1"
    ip -n csphub link set lo up
    ip -n csphub link add veth0 type bridge
    ip -n csphub address add $net.250/24 dev veth0
    ip -n csphub link set veth0 up
    i=0
    while [ "$i" -lt "$1" ]; do
        ns=csp$i
        ip netns add $ns
        hosts $ns "$1"
        ip -n $ns link set lo up
        ip -n csphub link add "port$i" type veth peer name veth0 netns $ns
        ip -n csphub link set "port$i" master veth0 up
        ip -n $ns address add "$net.$((i + 1))/24" dev veth0
        ip -n $ns link set veth0 up
        i=$((i + 1))
    done
}

case ${1:-} in
up) up "${2:?number of nodes}" ;;
down) down ;;
probe)
    [ "$(id -u)" = 0 ] && command -v ip >/dev/null
    ip netns add cspprobe
    trap 'ip netns delete cspprobe' EXIT
    ip -n cspprobe link add p0 type veth peer name p1
    ip -n cspprobe link add br0 type bridge
    ;;
run)
    shift
    exec unshare --uts /bin/sh -c 'hostname csphub && exec ip netns exec csphub "$@"' sh "$@"
    ;;
*)
    echo "usage: netns.sh up N | down | probe | run COMMAND..." >&2
    exit 2
    ;;
esac
