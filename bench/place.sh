#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
# place.sh PER_NODE CORE,CORE... PROGRAM...: a process of an MPI job on one of the cores for good. Those of a node, PER_NODE by rank,
# take the cores in turn, each node from another one on. Where processes are more than cores, the system puts them
# elsewhere in each run, and a run in phases takes up to 1.5 times as long as another one.
per_node=$1 cores=$2
shift 2
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:?no MPI job}}
count=$(echo "$cores" | tr , '\n' | wc -l)
turn=$(((rank / per_node + rank % per_node) % count + 1))
exec taskset -c "$(echo "$cores" | cut -d , -f $turn)" "$@"
