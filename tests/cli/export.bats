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
		--by=process|(expected one of machine, cgroup)
		--wss=/sys --textfile=x|needs an interval
		--window=1ms|--window
		--wss=1 --wss=2 --wss=3 --wss=4 --wss=5 --wss=6 --wss=7 --wss=8 --wss=9|at most 8
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
