#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=240 turns=6.1,6.12,7.3
# shellcheck disable=SC2016,SC2119
# Promise: lat --why of the machine counts what each fault spent its time on, and counts it once,
# also while other sessions begin and end. In each bucket, the parts add up to the latencies of the
# faults that the machine's histogram has there.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

# Write "FLOOR COUNT" for each bucket of the machine's histogram.
tally() { # FILE
	fltq latency | awk '
		{ for (i = 2; i <= NF; i++) if (sub(/^bucket\./, "", $i)) {
			split($i, a, "="); n[a[1]] += a[2] } }
		END { for (b in n) print b, n[b] }' >"$tmp/$1"
}

reports() { grep '"record":"latency"' "$tmp/$1.json" | grep -c '"group":"all"'; }	# NAME
has_reports() { [ "$(reports "$1")" -ge "$2" ]; }				# NAME N

# Watch the machine. Four tallies bound the faults that the intervals of lat have: all faults between
# the inner two, and no fault that is not between the outer two.
watch() { # NAME
	tally "$1.outer1"
	: >"$tmp/$1.json"
	"$FLTCTL" lat --why --json 1s >"$tmp/$1.json" &
	watcher=$!
	until_true has_reports "$1" 1 || bad "$1: lat does not report"
	tally "$1.inner1"
}

# End the watch and check it.
check_watch() { # NAME PID
	tally "$1.inner2"
	# The current interval may be read already.
	until_true has_reports "$1" $(($(reports "$1") + 2)) || bad "$1: lat does not report"
	kill -INT "$2"
	wait "$2" || bad "$1: got exit status $?, expected 0"
	tally "$1.outer2"
	spent "$1" | awk '$2 != "lock" { n[$1] += $3 } END { for (b in n) printf "%s %.0f\n", b, n[b] }' \
		>"$tmp/$1.spent"
	checks=$((checks + 1))
	(cd "$tmp" && awk -v name="$1" '
		function top(b,   width) {
			for (width = 1; b / width >= 8; width *= 2)
				continue
			return b + width - 1
		}
		function wrong(b, text) {
			printf "BAD: %s: bucket of %d ns: %.0f ns, expected %s\n", name, b, ns[b], text
			failed = 1
		}
		FILENAME ~ /spent$/ { ns[$1] = $2 }
		FILENAME ~ /inner/ { least[$1] += FILENAME ~ /1$/ ? -$2 : $2 }
		FILENAME ~ /outer/ { most[$1] += FILENAME ~ /1$/ ? -$2 : $2 }
		END {
			for (b in ns)
				most[b] += 0
			for (b in most) {
				faults += least[b]; all += most[b]
				if (ns[b] < least[b] * b)
					wrong(b, "at least " least[b] " times " b)
				if (ns[b] > most[b] * top(b))
					wrong(b, "at most " most[b] " times " top(b))
			}
			print name ": between " faults " and " all " faults"
			if (faults < 20000) {
				print "BAD: " name ": " faults " faults, expected 20000"
				failed = 1
			}
			exit failed
		}' "$1".{spent,inner1,inner2,outer1,outer2}) || failures=$((failures + 1))
}

# Print "FLOOR CAUSE NS" for each bucket and cause of all intervals.
spent() { # NAME
	jq -r 'select(.record == "cause_bucket") | "\(.from_ns) \(.name) \(.spent_ns)"' \
		"$tmp/$1.json" | awk '
		{ n[$1 " " $2] += $3 }
		END { for (key in n) printf "%s %.0f\n", key, n[key] }'
}

load
say "one session"
watch alone
kinds anon 20000 >/dev/null
late 10 20 0 >/dev/null
check_watch alone $watcher
# The server held each of the ten faults for 20 ms. The slowest faults of the machine may be others.
at_least "alone: ns of userfaultfd" "$(spent alone | awk '$2 == "userfaultfd" { n += $3 }
	END { if (NR) printf "%.0f\n", n; else print "no_input" }')" 200000000

say "beside sessions that begin and end"
watch first
first=$watcher
kinds anon 5000 >/dev/null
watch second
second=$watcher
kinds anon 10000 >/dev/null
"$FLTCTL" lat --why --json -- kinds anon 10000 >"$tmp/out"
grep '^{' "$tmp/out" >"$tmp/command.json"
check_watch second "$second"
kinds anon 5000 >/dev/null
check_watch first "$first"
for name in command first second; do
	spent $name >"$tmp/$name"
done
at_least "faults of a command: causes by bucket" "$(lines . "$tmp/command")" 2
for name in first second; do
	same "faults of a command that the $name session has not counted" "$(awk '
		FILENAME ~ /command$/ { ns[$1, $2] = $3; next }
		{ all[$1, $2] = $3 }
		END { for (key in ns) if (all[key] < ns[key]) n++; print n + 0 }' \
		"$tmp/command" "$tmp/$name")" 0
done
same "time of the command that is unmeasured" "$(awk '$2 == "unmeasured" { n += $3 }
	END { print NR ? n + 0 : "no_input" }' "$tmp/command")" 0
finish
