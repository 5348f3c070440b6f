#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fltctl export without the module: usage, the text of metrics, the unit and the alert rules.
load cli

@test "export refuses invalid usage with an explanation" {
	while IFS='|' read -r args says; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 "$FLTCTL" export $args
		[ -z "$output" ]
		[[ $stderr == *"$says"* ]] || { echo "$args: $stderr"; false; }
	done <<-END
		--listen=:1 --textfile=x|exclude each other
		--counts --quarters|exclude each other
		-- true|unexpected argument 'true'
		1s|unexpected argument '1s'
		--textfile=x 1s 2s|unexpected argument '2s'
		--textfile=x 1ms|invalid interval '1ms' (give 1s or more)
		--wss /sys/fs --wss /sys/fs/|names a cgroup that was named before
		--by=process|(expected one of machine, cgroup)
		--wss=/sys --textfile=x|needs an interval
		--window=1ms|--window
		--wss=1 --wss=2 --wss=3 --wss=4 --wss=5 --wss=6 --wss=7 --wss=8 --wss=9|at most 8
		--listen foo|invalid address 'foo'
		--listen :99999|invalid address ':99999'
		--listen localhost:9886|give a numeric address
		--max-series=1|invalid value '1' of --max-series
	END
}

@test "export without the module names the remedy" {
	[ ! -e /proc/modules ] || ! grep -q '^flt ' /proc/modules || skip "the module is loaded"
	run --separate-stderr -5 "$FLTCTL" export
	[ -z "$output" ] && [[ $stderr == *"modprobe flt"* ]]
}

@test "promtool and a parser of OpenMetrics accept the text of metrics" {
	"$METRICS" text | promtool check metrics
	"$METRICS" openmetrics | /usr/bin/python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
assert len(list(parse(sys.stdin.read()))) == 7'
}

@test "protobuf read by another decoder says the same as the text" {
	protoc --proto_path=user/view/metrics --python_out="$BATS_TEST_TMPDIR" metrics.proto
	"$METRICS" protobuf >"$BATS_TEST_TMPDIR/answer"
	cd "$BATS_TEST_TMPDIR"
	/usr/bin/python3 -c '
import math
from google.protobuf.internal.decoder import _DecodeVarint32 as varint
from metrics_pb2 import Family, COUNTER, GAUGE, HISTOGRAM
data, at, families = open("answer", "rb").read(), 0, {}
while at < len(data):
    size, at = varint(data, at)
    family = Family.FromString(data[at:at + size])
    families[family.name] = family
    at += size
def values(name, of):
    return [([(l.name, l.value) for l in m.label], getattr(m, of).value)
            for m in families[name].metric]
assert [f.type for f in families.values()] == [COUNTER, COUNTER, GAUGE, HISTOGRAM, HISTOGRAM,
                                               GAUGE, COUNTER, HISTOGRAM]
assert families["flt_a_total"].help == "with \"quotes\" and \\"
assert values("flt_a_total", "counter") == [
    ([], 2.0 ** 64), ([("x", "a\"b\\c"), ("y", "")], 0),
    ([("x", "/\u00e4"), ("y", "(escaped)\\xff")], 7)], values("flt_a_total", "counter")
assert values("flt_second_seconds_total", "counter") == [([], 1e-9)]
assert values("flt_c", "gauge") == [([], 3)]
assert values("flt_f_info", "gauge") == [([("version", "1")], 1)]
assert values("flt_g_total", "counter") == []
classic = families["flt_delay_seconds"].metric[0].histogram
assert [(b.upper_bound, b.cumulative_count) for b in classic.bucket] == [
    (255e-9, 1), (1023e-9, 1), (1.073741823, 4), (math.inf, 6)]
assert (classic.sample_count, classic.sample_sum) == (6, 5.000000001)
assert not classic.HasField("schema") and not classic.positive_span
even = families["flt_even_seconds"].metric[0].histogram
assert even.sample_count == 6 and math.isnan(even.sample_sum)
some, none = (m.histogram for m in families["flt_native_nanoseconds"].metric)
span, = some.positive_span
counts, last = {}, 0
for i, delta in enumerate(some.positive_delta):
    last += delta
    counts[span.offset + i] = last
# Bucket i ends at 2^i, so octave 3, from 8 to 15, is bucket 4.
assert {i: n for i, n in counts.items() if n} == {1: 1, 4: 5, 5: 2, 64: 1}
assert span.length == len(counts)
assert (some.schema, some.zero_threshold, some.zero_count) == (0, 0, 4)
assert (some.sample_count, some.sample_sum) == (13, 1000)
assert (none.sample_count, none.zero_count, len(none.positive_delta)) == (0, 0, 0)
assert [(s.offset, s.length) for s in none.positive_span] == [(0, 0)]'
}

@test "the exposure of the unit is at most 2.0" {
	sed 's,@bindir@,/usr/bin,' systemd/flt-export.service >"$BATS_TEST_TMPDIR/flt-export.service"
	run -0 systemd-analyze security --offline=true --threshold=20 "$BATS_TEST_TMPDIR/flt-export.service"
	run -0 grep -c '^\(AmbientCapabilities\|CapabilityBoundingSet\)=CAP_PERFMON$' \
		systemd/flt-export.service
	[ "$output" = 2 ]
}

@test "each alert fires when its cause is there, and not before" {
	cp docs/monitoring/alerts.yml tests/cli/alerts.test.yml "$BATS_TEST_TMPDIR"
	promtool check rules docs/monitoring/alerts.yml
	promtool test rules "$BATS_TEST_TMPDIR/alerts.test.yml"
}

@test "the dashboard is valid JSON with a query in each panel" {
	run -0 jq -r '.panels[] | select(.targets | length == 0) | .title' docs/monitoring/dashboard.json
	[ -z "$output" ]
}
