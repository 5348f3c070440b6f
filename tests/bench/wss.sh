#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# wss.sh - measure the cost of a working set sample for each method, in a guest with -icount.
#
#   tests/vm/run -i -t 1200 -k 6.12 bash tests/bench/wss.sh
#
# All rows come from one boot. One program runs at a time: wset maps MIB and touches HOT MiB
# every 10 ms, first contiguous and then scattered, one page of eight. "sample" is the cost
# per window of the observer: the module's worker, fltctl or DAMON's thread. "disturbed" is
# the additional cost per window of the observed program compared with a run without observer.
# Prints a markdown table.
set -euo pipefail
: "${FLT_KO:?}" "${FLTCTL:?}" "${FLT_WORKLOAD:?}" "${KERNEL:?}"
PATH=$FLT_WORKLOAD:$PATH:/usr/sbin:/sbin
mib=${MIB:-128} hot=${HOT:-8} windows=${WINDOWS:-4}
tmp=$(mktemp -d /tmp/wss.XXXXXX)
echo 0 >/proc/sys/kernel/numa_balancing
# Use small pages only, because all methods distinguish them.
echo never >/sys/kernel/mm/transparent_hugepage/enabled

spent() { # PID: ns on a CPU
	cut -d' ' -f1 "/proc/$1/schedstat" 2>/dev/null || echo 0
}

start() { # WSET-ARGUMENTS...
	rm -f "$tmp/out"
	wset "$@" >"$tmp/out" &
	pid=$!
	while ! grep -q ready "$tmp/out"; do sleep 0.1; done
}

# Stop wset and set rounds and cpu
stop() {
	kill "$pid"
	wait "$pid" || true
	read -r _ rounds _ cpu < <(tail -1 "$tmp/out")
}

damon_thread() { pgrep -o kdamond || true; }

row() { # METHOD PATTERN WSET-ARGUMENTS...
	local method=$1 pattern=$2 damon=0 tool budget=()
	shift 2
	case $method in scan|inject) budget=(-b 100);; esac
	start "$@"
	"$FLTCTL" wss --csv -m "$method" "${budget[@]}" -p "$pid" 1 "$windows" >"$tmp/csv" 2>"$tmp/err" &
	tool=$!
	if [ "$method" = damon ]; then
		# The thread of DAMON is gone at the end, so read its time before.
		while kill -0 "$tool" 2>/dev/null; do
			[ -z "$(damon_thread)" ] || damon=$(spent "$(damon_thread)")
			sleep 0.2
		done
	fi
	wait "$tool" || { echo "$method: $(cat "$tmp/err")" >&2; stop; return; }
	stop
	awk -F, -v method="$method" -v pattern="$pattern" -v rounds="$rounds" -v cpu="$cpu" \
		-v bare="$bare" -v windows="$windows" -v damon="$damon" -v hot="$hot" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["record"] == "sample" {
			if (++n == 1) next	# the first window contains the start of the program
			cost += $at["cost_ns"]; rss = $at["rss_bytes"]
			error = $at["referenced_bytes"] / (hot * 1048576) - 1
			sum += error; most = error * error > most * most ? error : most
		}
		END {
			sample = method == "damon" ? damon / windows : cost / (n - 1)
			printf "| %s | %s | %.0f | %s | %+.1f %% | %+.1f %% | %.0f |\n", pattern, method, sample,
				rss ? sprintf("%.2f M", sample / rss * 1073741824 / 1e6) : "-",
				100 * sum / (n - 1), 100 * most, (cpu - rounds * bare) / windows
		}' "$tmp/csv" | tee -a "$tmp/rows" >&2
}

sleep 20
insmod "$FLT_KO"
for pattern in together scattered; do
	stride=1
	[ "$pattern" = together ] || stride=8
	start -x "$stride" "$mib" "$hot"
	sleep "$windows"
	stop
	bare=$((cpu / rounds))
	echo "$pattern: $bare instructions a round, $rounds rounds" >&2
	for method in scan inject refs damon idle; do
		row "$method" "$pattern" -x "$stride" "$mib" "$hot"
	done
done

# Print anonymous faults of the machine in the last interval. One program causes nearly all.
faults() { # WHEN
	"$FLTCTL" lat --csv -l 0 5 2 | awk -F, -v when="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["group"] == "kind" && $at["name"] == "anon" { last = sprintf("%d, p50 %d p90 %d p99 %d p99.9 %d max %d ns",
			$at["faults"], $at["p50_ns"], $at["p90_ns"], $at["p99_ns"], $at["p999_ns"], $at["max_ns"]) }
		END { printf "anonymous faults %s: %s\n", when, last }'
}

# Two million entries: 64 MiB of shared memory mapped 128 times, all present. Measure the
# effect on a program that maps, faults and unmaps all the time.
if [ -z "${SMALL:-}" ]; then
	start -m 16 -n 128 64 8
	"$FLTCTL" wss --csv -b 100 -p "$pid" 1 4 >"$tmp/many" 2>/dev/null
	"$FLTCTL" wss --csv -m refs -p "$pid" 1 2 >"$tmp/manyrefs" 2>/dev/null
	faults "with nobody looking" >"$tmp/latency"
	for method in "scan -b 100" refs; do
		# shellcheck disable=SC2086 # words
		"$FLTCTL" wss -m $method -p "$pid" 0.5 >/dev/null 2>&1 &
		tool=$!
		sleep 1
		faults "with ${method%% *} twice a second" >>"$tmp/latency"
		kill -INT "$tool"
		wait "$tool" || true
	done
	stop
fi
rmmod flt
echo "| hot set | method | instructions per sample | per GiB mapped | mean error | largest | disturbed, per window |"
echo "|---|---|--:|--:|--:|--:|--:|"
cat "$tmp/rows"
[ ! -e "$tmp/latency" ] || cat "$tmp/latency"
[ ! -e "$tmp/many" ] || awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["record"] == "sample" {
		printf "two million pages: %s: %d entries, %.1f instructions each, %.1f M per GiB, longest hold %d ns\n",
			$at["method"], $at["rss_bytes"] / 4096, $at["cost_ns"] / $at["rss_bytes"] * 4096,
			$at["cost_ns"] / $at["rss_bytes"] * 1073.741824, $at["mmap_lock_max_ns"]
	}
	$at["record"] == "lock" {
		printf "mmap_lock held for less than %d ns, %d times\n", $at["mmap_lock_below_ns"], $at["mmap_lock_holds"]
	}' "$tmp/many" "$tmp/manyrefs"
rm -rf "$tmp"
