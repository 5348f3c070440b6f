#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=256 zram=1 mem=2048 timeout=800 turns=6.1,6.12,7.3,none,none,none debug=0
# shellcheck disable=SC2016,SC2119
# Promise: what Prometheus scrapes from 'fltctl export' equals the kernel's counts and 'stats'. The
# text is clean, the number of series and the memory are bounded, counters never decrease, and the
# queries of the alerts and of the dashboard return data. A native histogram equals the classic one.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

command -v prometheus >/dev/null || { echo "prometheus is not installed: run scripts/setup"; exit 1; }
cgroups=$(sized 100 300 10000) scrapes=$(sized 20 40 1440)

url=http://127.0.0.1:9886/metrics
get() { curl -sS -f --max-time 60 "$@" "$url"; }

# Print the value of a series: SERIES [FILE].
value() {
	awk -v s="$1" '$1 == s { print $2; n++ } END { if (n != 1) print "no_input" }' \
		"${2-$tmp/metrics}"
}
scrape() { get >"$tmp/metrics" 2>"$tmp/curl"; }
answers() { get >"$tmp/metrics" 2>"$tmp/curl" && [ "$(value flt_up)" = 1 ]; }

# Run a command as a user that has CAP_PERFMON alone, as the unit does. CAPS: further ones.
as_user() { # COMMAND...
	exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "-all,+perfmon${CAPS-}" \
		--bounding-set "-all,+perfmon${CAPS-}" --ambient-caps "+perfmon${CAPS-}" "$@"
}

export_as_user() { # OPTION...
	as_user "$FLTCTL" export "$@" 2>"$tmp/err" &
	exporter=$!
	until_true answers || bad "no answer: $(cat "$tmp/err" "$tmp/curl")"
}

end_exporter() {
	local status=0
	kill -INT $exporter
	wait $exporter || status=$?
	same "exit status of export" $status 0
}

load
group=/sys/fs/cgroup/measured
mkdir $group
# A shell moves into the cgroup before the first scrape, so all its children begin there.
coproc INSIDE { echo $BASHPID >$group/cgroup.procs; while read -r line; do eval "$line"; echo end; done; }
inside() { echo "$*" >&"${INSIDE[1]}" && read -r _ <&"${INSIDE[0]}"; }
inside :

say "counts"
export_as_user --by=cgroup --thp --numa
"$FLTCTL" stats --json --source=module -a >"$tmp/before.json"
cp "$tmp/metrics" "$tmp/before"
inside "faultrun -o '$tmp/run' -- tree fork 60 8"
sum() { awk -v key="$1" '{ for (i = 1; i <= NF; i++) if (index($i, key "=") == 1)
	n += substr($i, length(key) + 2) } END { if (!NR) print "no_input"; else print n + 0 }' "$tmp/run"; }
scrape
"$FLTCTL" stats --json --by=cgroup >"$tmp/by.json"
mine='{cgroup="/measured"}'
at_least "minor faults of the cgroup" "$(value "flt_cgroup_faults_minor_total$mine")" "$(sum minflt)"
of_group=$(jq -s 'map(select(.cgroup? == "/measured"))[0].minor' "$tmp/by.json")
same "minor faults of the cgroup, as in stats" "$(value "flt_cgroup_faults_minor_total$mine")" \
	"$of_group"
same "sum over cgroups" "$(awk '/^flt_cgroup_faults_minor_total/ { n += $2 } END { print n }' \
	"$tmp/metrics")" "$(value flt_faults_minor_total)"
same "sum over kinds" "$(awk '/^flt_faults_kind_total/ { n += $2 } END { print n }' \
	"$tmp/metrics")" "$(awk '/^flt_faults_(minor|major|failed)_total/ { n += $2 } END { print n }' \
	"$tmp/metrics")"
faults=$(value flt_fault_latency_seconds_count)
same "the last bucket" "$(value 'flt_fault_latency_seconds_bucket{le="+Inf"}')" "$faults"

say "formats"
promtool check metrics <"$tmp/metrics" >"$tmp/out" 2>&1 || bad "promtool: $(cat "$tmp/out")"
same "remarks of promtool" "$(wc -c <"$tmp/out")" 0
get -H 'Accept: application/openmetrics-text; version=1.0.0' >"$tmp/open"
same "families of OpenMetrics" "$(/usr/bin/python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
print(len(list(parse(sys.stdin.read()))))' <"$tmp/open")" "$(grep -c '^# TYPE' "$tmp/metrics")"
same "POST" "$(curl -s -o "$tmp/out" -w '%{http_code}' -X POST "$url")" 405
same "another path" "$(curl -s -o "$tmp/out" -w '%{http_code}' "${url%metrics}x")" 404

say "Prometheus"
cat >"$tmp/prometheus.yml" <<END
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [ $PWD/docs/monitoring/alerts.yml ]
scrape_configs: [ { job_name: flt, static_configs: [ { targets: [ "127.0.0.1:9886" ] } ] } ]
END
start_prometheus() { # DIRECTORY OPTION...
	prometheus --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/$1" \
		--web.listen-address=127.0.0.1:9090 --log.level=warn "${@:2}" >"$tmp/prometheus" 2>&1 &
	server=$!
}
end_prometheus() {
	kill $server
	wait $server 2>/dev/null || true
}
query() { # EXPRESSION [TIME]
	curl -s -G --data-urlencode "query=$1" ${2:+-d time="$2"} http://127.0.0.1:9090/api/v1/query
}
number() { query "$@" | jq -r '.data.result[0].value[1]'; }
has_samples() { [ "$(number 'count_over_time(flt_up[10m])' 2>/dev/null)" -ge "$1" ] 2>/dev/null; }
names() {
	curl -s 'http://127.0.0.1:9090/api/v1/label/__name__/values' |
		jq -r '.data[] | select(startswith("flt_"))' | LC_ALL=C sort
}
start_prometheus tsdb.text
until_true has_samples 3 || bad "Prometheus does not scrape: $(cat "$tmp/prometheus")"
same "the cgroup in Prometheus" "$(number "flt_cgroup_faults_minor_total$mine")" "$of_group"
inside "faultrun -o '$tmp/run' -- tree fork 60 8"
"$FLTCTL" stats --json --by=cgroup >"$tmp/by.json"
now=$(jq -s 'map(select(.cgroup? == "/measured"))[0].minor' "$tmp/by.json")
say "$now minor faults in the cgroup"
is_current() { [ "$(number "flt_cgroup_faults_minor_total$mine")" = "$now" ]; }
until_true is_current || bad "Prometheus has not $now minor faults of the cgroup"
# The growth is that of stats. increase() would extrapolate.
same "growth in Prometheus" "$(number "max_over_time(flt_cgroup_faults_minor_total${mine}[10m]) -
	min_over_time(flt_cgroup_faults_minor_total${mine}[10m])")" $((now - of_group))
until_true has_samples 8 || bad "Prometheus does not scrape: $(cat "$tmp/prometheus")"

say "queries"
same "rules in error" "$(curl -s http://127.0.0.1:9090/api/v1/rules |
	jq '[.data.groups[].rules[] | select(.health != "ok")] | length')" 0
jq -r '.panels[].targets[].expr' docs/monitoring/dashboard.json |
	sed 's/\$__rate_interval/1m/g; s/"\$[a-z]*"/".*"/g' >"$tmp/queries"
at_least "queries of the dashboard" "$(wc -l <"$tmp/queries")" 15
while read -r expr; do
	query "$expr" >"$tmp/out"
	same "$expr: status" "$(jq -r .status "$tmp/out")" success
	# No fault is major here, so the quantiles of their latency are NaN.
	case $expr in
	*'result="major"'*) wanted='true' ;;
	*) wanted='.value[1] != "NaN"' ;;
	esac
	at_least "$expr: series with a value" \
		"$(jq "[.data.result[] | select($wanted)] | length" "$tmp/out")" 1
done <"$tmp/queries"
names >"$tmp/names.text"
end_prometheus

say "native histograms"
start_prometheus tsdb.native --enable-feature=native-histograms
until_true has_samples 3 || bad "Prometheus does not scrape protobuf: $(cat "$tmp/prometheus")"
names >"$tmp/names.protobuf"
# Before 6.4 there are no locks of VMAs, and two names less.
at_least "names in text" "$(wc -l <"$tmp/names.text")" "$(kernel_before 6.4 && echo 38 || echo 40)"
same "names in text alone" "$(LC_ALL=C comm -23 "$tmp/names.text" "$tmp/names.protobuf" | wc -l)" 0
same "names in protobuf alone" \
	"$(LC_ALL=C comm -13 "$tmp/names.text" "$tmp/names.protobuf" | tr '\n' ' ')" \
	"flt_fault_kind_latency_nanoseconds flt_fault_kind_latency_seconds_count $(:
	)flt_fault_kind_latency_seconds_sum flt_fault_latency_nanoseconds "
# All of these are of one scrape, because they have one time of evaluation.
now=$(number 'timestamp(flt_up)')
native=flt_fault_latency_nanoseconds classic=flt_fault_latency_seconds
at_least "faults in the native histogram" "$(number "histogram_count($native)" "$now")" 1000
same "count minus that of the classic histogram" \
	"$(number "histogram_count($native) - ${classic}_count" "$now")" 0
same "sum minus that of the classic histogram" \
	"$(number "histogram_sum($native) / 1e9 - ${classic}_sum" "$now")" 0
query "${classic}_bucket" "$now" | jq -r '.data.result | sort_by(.metric.le | if . == "+Inf" then
	infinite else tonumber end)[].value[1]' >"$tmp/classic"
for ((i = 8; i <= 34; i++)); do
	number "round(histogram_fraction(-Inf, 2 ^ $i, $native) * histogram_count($native))" "$now"
done >"$tmp/native"
number "histogram_count($native)" "$now" >>"$tmp/native"
same "classic buckets" "$(wc -l <"$tmp/classic")" 28
same "faults up to each bound" "$(tr '\n' ' ' <"$tmp/native")" "$(tr '\n' ' ' <"$tmp/classic")"
same "count of all kinds minus that of the classic histogram" \
	"$(number "sum(histogram_count(flt_fault_kind_latency_nanoseconds)) - sum(${classic}_count)" \
	"$now")" 0
end_prometheus

say "reload"
before=$(value flt_faults_minor_total)
has_none() { get >"$tmp/metrics" 2>"$tmp/curl" && [ "$(value flt_up)" = 0 ]; }
until_true rmmod flt 2>/dev/null || bad "the module cannot be unloaded"
until_true has_none || bad "flt_up is $(value flt_up) without the module"
at_least "counters without the module" "$(value flt_faults_minor_total)" "$before"
load
until_true answers || bad "no answer after the module was loaded again"
at_least "counters of the module loaded again" "$(value flt_faults_minor_total)" "$before"
end_exporter

say "working sets"
status=0
(as_user "$FLTCTL" export --wss=$group) 2>"$tmp/err" || status=$?
same "working sets without CAP_SYS_ADMIN" "$status $(grep -c CAP_SYS_ADMIN "$tmp/err")" "4 1"
service=/sys/fs/cgroup/service
# Start a service that maps MIB and uses USED MiB of it, in a new cgroup.
start_service() { # MIB USED
	mkdir $service
	rm -f "$tmp/out"
	sh -c 'echo $$ >"$1/cgroup.procs"; exec wset "$2" "$3"' sh $service "$1" "$2" >"$tmp/out" &
	pid=$!
	until_true grep -q ready "$tmp/out" || bad "wset does not become ready"
}
end_service() {
	kill -TERM $pid
	wait $pid || true
	rmdir $service
}
used() { value 'flt_working_set_bytes{cgroup="/service"}'; }
# A window that began before the service was ready has all of its memory.
uses_about() { # MIB
	scrape
	local bytes
	bytes=$(used)
	[ "$bytes" != no_input ] && [ "$bytes" -ge $(($1 << 20)) ] &&
		[ "$bytes" -lt $((($1 + 3) << 20)) ]
}
CAPS=,+sys_admin export_as_user --wss=$service --window=1s
same "message about a missing cgroup" "$(grep -c "missing cgroup $service" "$tmp/err")" 1
same "a missing cgroup" "$(grep -c '^flt_working_set_bytes{' "$tmp/metrics")" 0
start_service 24 6
until_true uses_about 6 || bad "working set of 6 MiB: $(used)"
at_least "resident bytes" "$(value 'flt_working_set_resident_bytes{cgroup="/service"}')" $((24 << 20))
same "processes" "$(value 'flt_working_set_processes{cgroup="/service"}')" 1
promtool check metrics <"$tmp/metrics" >"$tmp/out" 2>&1 || bad "promtool: $(cat "$tmp/out")"
end_service
is_gone() { scrape; [ "$(used)" = no_input ]; }
until_true is_gone || bad "working set of a removed cgroup: $(used)"
start_service 24 12
until_true uses_about 12 || bad "working set of 12 MiB after a new start: $(used)"
until_true rmmod flt 2>/dev/null || bad "the module cannot be unloaded beside working sets"
load
until_true uses_about 12 || bad "working set of 12 MiB with a module that was loaded again: $(used)"
end_service
end_exporter

say "$cgroups cgroups, $scrapes scrapes"
export_as_user --by=cgroup --max-series=2000
mkdir $group/many
for ((i = 0; i < cgroups; i++)); do
	mkdir $group/many/$i
	echo 0 >$group/many/$i/cgroup.procs
	# A process that faults and ends.
	(:)
done
echo 0 >/sys/fs/cgroup/cgroup.procs
# A fork bomb. It has a limit and low priority, so that the guest can go on.
echo +pids >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/bomb
echo 40 >/sys/fs/cgroup/bomb/pids.max
bash -c 'echo $$ >/sys/fs/cgroup/bomb/cgroup.procs; bomb() { bomb | bomb & }
	renice -n 19 $$ >/dev/null; while :; do bomb; done' 2>"$tmp/bomb" &
is_bombed() { grep -q 'max [1-9]' /sys/fs/cgroup/bomb/pids.events; }
until_true is_bombed || bad "the fork bomb does not reach its limit"
# Scrape without curl, which takes most of the time of an emulated machine.
scrape_quickly() {
	local socket
	exec {socket}<>/dev/tcp/127.0.0.1/9886
	printf 'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' >&"$socket"
	cat <&"$socket" >"$tmp/metrics"
	exec {socket}>&-
}
sum=0
for ((i = 0; i < scrapes; i++)); do
	scrape_quickly
	before=$sum
	read -r sum series < <(awk '/^flt_cgroup_faults_minor_total/ { n += $2 } /^flt_/ { series++ }
		END { printf "%d %d\n", n, series }' "$tmp/metrics")
	at_least "the sum over cgroups at scrape $i" "$sum" $((before + 1))
	at_most "series at scrape $i" "$series" 2000
done
get >"$tmp/metrics"
echo 1 >/sys/fs/cgroup/bomb/cgroup.kill
at_least "series left out" "$(value flt_export_series_omitted_total)" 1
promtool check metrics <"$tmp/metrics" >"$tmp/out" 2>&1 || bad "promtool: $(cat "$tmp/out")"

say "hostile clients"
for ((i = 0; i < 40; i++)); do
	python3 -c 'import socket, sys, time
s = [socket.create_connection(("127.0.0.1", 9886)) for i in range(10)]
open(sys.argv[1], "w").close()
time.sleep(60)' "$tmp/connected.$i" & clients[i]=$!
	until_true test -e "$tmp/connected.$i" || bad "client $i does not connect"
	[ $i -ge 3 ] && break
done
until_true answers || bad "no answer beside idle connections: $(cat "$tmp/curl")"
kill "${clients[@]}"
peak=$(awk '/^VmHWM/ { print $2 }' /proc/$exporter/status)
say "the exporter had at most $peak KiB"
at_most "resident memory in KiB" "$peak" 20480
end_exporter

say "a file for node_exporter"
mkdir "$tmp/textfile"
"$FLTCTL" export --by=cgroup --textfile="$tmp/textfile/flt.prom"
promtool check metrics <"$tmp/textfile/flt.prom" >"$tmp/out" 2>&1 || bad "promtool: $(cat "$tmp/out")"
same "files" "$(ls "$tmp/textfile")" flt.prom
prometheus-node-exporter --collector.disable-defaults --collector.textfile \
	--collector.textfile.directory="$tmp/textfile" --web.listen-address=127.0.0.1:9887 \
	2>"$tmp/node.err" &
node=$!
node_answers() { curl -s http://127.0.0.1:9887/metrics >"$tmp/node"; }
until_true node_answers || bad "no answer of node_exporter: $(cat "$tmp/node.err")"
key=flt_faults_minor_total
same "$key, read by node_exporter" "$(value $key "$tmp/node" | awk '{ printf "%d", $1 }')" \
	"$(value $key "$tmp/textfile/flt.prom")"
same "errors of node_exporter" "$(value node_textfile_scrape_error "$tmp/node")" 0
kill $node
wait $node || true

say "a full disk"
mount -t tmpfs -o size=256k tmpfs "$tmp/textfile"
"$FLTCTL" export --textfile="$tmp/textfile/flt.prom" 1s 2>"$tmp/err" &
exporter=$!
until_true test -s "$tmp/textfile/flt.prom" || bad "no file: $(cat "$tmp/err")"
cat /dev/zero >"$tmp/textfile/full" 2>/dev/null || true
until_true grep -q "trying again" "$tmp/err" || bad "no message: $(cat "$tmp/err")"
at_least "the old file" "$(value $key "$tmp/textfile/flt.prom")" 1
old=$(value $key "$tmp/textfile/flt.prom")
rm "$tmp/textfile/full"
until_true grep -q "writing .* again" "$tmp/err" || bad "no message: $(cat "$tmp/err")"
at_least "the new file" "$(value $key "$tmp/textfile/flt.prom")" "$((old + 1))"
end_exporter
umount "$tmp/textfile"
status=0
"$FLTCTL" export --textfile=/nonexistent/flt.prom 2>"$tmp/err" || status=$?
same "a missing directory" "$status $(grep -c 'cannot write /nonexistent/flt.prom' "$tmp/err")" "1 1"
status=0
"$FLTCTL" export --textfile=/dev/null 2>"$tmp/err" || status=$?
same "a device" "$status $(grep -c 'cannot replace /dev/null' "$tmp/err")" "1 1"
rmdir $group/many/[0-9]* $group/many /sys/fs/cgroup/bomb
finish
