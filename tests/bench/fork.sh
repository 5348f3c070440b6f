#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fork.sh - measure the instructions added per fork and exit of a small process, in a guest with
# -icount.
#
#   tests/vm/run -i -t 1200 -k 6.12 bash tests/bench/fork.sh
#
# Each row is measured between two bare runs of the same boot. "rows retired" means that the
# module retires a row per exit.
set -euo pipefail
: "${FLT_KO:?}" "${FLT_WORKLOAD:?}"
PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin
forks=${FORKS:-300} reps=${REPS:-7}

row() { echo "$1: $(forkcost "$forks" "$reps")"; }

with_module() { # NAME PARAM=VALUE...
	local name=$1
	shift
	insmod "$FLT_KO" "$@"
	row "$name"
	rmmod flt
	row bare
}

sleep 30
row bare
with_module "accounting=0" accounting=0
with_module "accounting=counts" max_procs=100000
with_module "accounting=counts, rows retired" max_procs=64
with_module "accounting=latency, rows retired" accounting=latency max_procs=64
