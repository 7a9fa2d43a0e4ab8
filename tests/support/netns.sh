#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
#
# Nodes with a network between them, on one machine: network namespaces csp0, csp1, ... each with an
# interface veth0 on a bridge in the namespace csphub, from which jobs are started.
#   netns.sh up N    makes them (removes old ones first)
#   netns.sh down    removes them
#   netns.sh calm    in a namespace: TCP with cubic, or reno
#   netns.sh probe   exit code 0 if this machine permits it
#   netns.sh run COMMAND...   runs COMMAND in the hub, under the host name csphub
#   netns.sh slow DELAY_US RATE_MBIT   what each node sends is late by so much and no faster; 0: as it is
# CASPER_NETNS: what the names begin with instead of csp, for several such networks at a time.
set -eu
net=10.213.77
csp=${CASPER_NETNS:-csp}

all() { # the nodes' namespaces; all hub: and the hub's
    ip netns list 2>/dev/null | awk -v csp="$csp" -v hub="${1:-none}" \
        '$1 ~ "^" csp "([0-9]+|" hub ")$" { print $1 }'
}

down() {
    for ns in $(all hub); do
        ip netns delete "$ns"
        rm -rf "/etc/netns/$ns"
    done
}

# TCP as Linux comes, whatever the machine has: others pace by an estimate of the rate. Which of them a namespace
# may choose is for the machine to say (net.ipv4.tcp_allowed_congestion_control); reno always is.
calm() {
    for tcp in cubic reno; do
        if echo "$tcp" 2>/dev/null >/proc/sys/net/ipv4/tcp_congestion_control; then
            return 0
        fi
    done
}

hosts() { # hosts NAMESPACE N: every node knows every name
    mkdir -p "/etc/netns/$1"
    {
        echo "127.0.0.1 localhost"
        echo "$net.250 ${csp}hub"
        k=0
        while [ "$k" -lt "$2" ]; do
            echo "$net.$((k + 1)) $csp$k"
            k=$((k + 1))
        done
    } >"/etc/netns/$1/hosts"
}

plug() { # plug NODE MTU: its veth0 and its port on the bridge, which are there
    ip -n "${csp}hub" link set "port$1" master veth0 mtu "$2" up
    ip -n "$csp$1" address add "$net.$(($1 + 1))/24" dev veth0
    ip -n "$csp$1" link set veth0 mtu "$2" up
}

up() {
    down
    ip netns add "${csp}hub"
    ip netns exec "${csp}hub" "$0" calm
    hosts "${csp}hub" "$1"
    ip -n "${csp}hub" link set lo up
    ip -n "${csp}hub" link add veth0 type bridge
    ip -n "${csp}hub" address add $net.250/24 dev veth0
    ip -n "${csp}hub" link set veth0 up
    i=0
    while [ "$i" -lt "$1" ]; do
        ns=$csp$i
        ip netns add "$ns"
        ip netns exec "$ns" "$0" calm
        hosts "$ns" "$1"
        ip -n "$ns" link set lo up
        ip -n "${csp}hub" link add "port$i" type veth peer name veth0 netns "$ns"
        plug "$i" 1500
        i=$((i + 1))
    done
}

# The rate by tbf at each node. Late are frames that relay.py hands on, which takes the place of the nodes' cables;
# large ones, of which it can hand on more.
slow() {
    burst=16kb
    if [ "$1" != 0 ]; then
        burst=128kb
        # shellcheck disable=SC2046
        late "$1" $(all)
    fi
    for ns in $(all); do
        tc -n "$ns" qdisc delete dev veth0 root 2>/dev/null || true
        [ "$2" = 0 ] || tc -n "$ns" qdisc add dev veth0 root tbf rate "${2}mbit" burst $burst latency 100ms
    done
}

late() { # late DELAY_US NODES...
    delay=$1
    shift
    for ns in "$@"; do
        ip -n "${csp}hub" link delete "port${ns#"$csp"}"
    done
    ip netns exec "${csp}hub" python3 "$(dirname "$0")/relay.py" $# "$delay"
    for ns in "$@"; do
        i=${ns#"$csp"}
        ip -n "${csp}hub" link set "node$i" netns "$ns" name veth0
        plug "$i" 65000
    done
}

case ${1:-} in
up) up "${2:?number of nodes}" ;;
down) down ;;
calm) calm ;;
slow) slow "${2:?microseconds}" "${3:?Mbit/s}" ;;
probe)
    [ "$(id -u)" = 0 ] && command -v ip >/dev/null
    own=${csp}probe$$ # others may ask at the same time
    ip netns add "$own"
    trap 'ip netns delete "$own"' EXIT
    ip -n "$own" link add p0 type veth peer name p1
    ip -n "$own" link add br0 type bridge
    ;;
run)
    shift
    # shellcheck disable=SC2016
    exec unshare --uts /bin/sh -c 'hostname "$0" && exec ip netns exec "$0" "$@"' "${csp}hub" "$@"
    ;;
*)
    echo "usage: netns.sh up N | down | calm | slow DELAY_US RATE_MBIT | probe | run COMMAND..." >&2
    exit 2
    ;;
esac
