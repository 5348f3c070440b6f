#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that do not belong to a recording cannot disturb it.
#
# usage: socket.sh BUILD-DIR
# FLT_FUZZ: the number of random messages from inside the recording, by default 2000. The printed
# seed (FLT_SEED) determines them.
# shellcheck disable=SC2016	# $0 is for the shells that are recorded
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
fltctl=$build/fltctl cases=$build/tests/recorder/cases rounds=$build/tests/recorder/rounds
fuzz=${FLT_FUZZ:-2000} seed=${FLT_SEED:-$RANDOM}
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"
chmod 755 .
cp "$build/tests/recorder/stranger" .
squatter='' record=''
cleanup() {
	local pid
	for pid in $squatter $record; do
		kill -9 "$pid" 2> /dev/null || true
	done
	rm -rf "$work"
}
trap cleanup EXIT

# stranger ARGUMENT...: run it as another user if possible
stranger() {
	if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
		timeout "$limit" setpriv --reuid=65534 --regid=65534 --clear-groups ./stranger "$@"
	else
		timeout "$limit" ./stranger "$@"
	fi
}

# Check that the recording has each fault that was served.
complete() {
	local seen filed
	"$fltctl" script --csv --no-stack trace.flt > script.csv
	seen=$(sed -n 's/.*: \([0-9]*\) faults (\([0-9]*\) first touches, \([0-9]*\) refaults.*/\2 \3/p' err)
	filed="$(grep -c '[,"]alloc[,"]' script.csv || true)"
	filed+=" $(grep -c '[,"]refault[,"]' script.csv || true)"
	[ -n "$seen" ] && [ "$seen" = "$filed" ]
}

in_order() { "$fltctl" script --check trace.flt > order; }

"$cases" fork > native

# Strangers, before and while the command runs.
timeout "$limit" "$fltctl" record -L 8 -o trace.flt -- \
	sh -c 'touch begun; while [ ! -e go ]; do sleep 0.05; done; "$0" fork
		while [ ! -e end ]; do sleep 0.05; done' "$cases" > out 2> err &
record=$!
for _ in $(seq 300); do
	[ -e begun ] && break
	sleep 0.1
done
stranger squat > squat.out &
squatter=$!
for _ in $(seq 100); do
	[ -s squat.out ] && break
	sleep 0.1
done
stranger hello 20000 > hello.out &
touch go
stranger random 100000 > random.out
wait $!
touch end
status=0
wait "$record" || status=$?
record=''
echo "# $(cat squat.out) squatters, $(cat hello.out) forged messages and $(cat random.out) random messages"
check "a stranger connected" [ "$(cat squat.out)" -gt 0 ]
check "strangers sent all messages" [ "$(cat hello.out)" = 20000 -a "$(cat random.out)" = 100000 ]
check "fltctl ended before the squatter" kill -0 "$squatter"
kill -9 "$squatter" || true
squatter=''
check "fltctl returns the status of the command" [ "$status" = 0 ]
check "the command prints the same as natively" cmp -s out native
check "nothing is lost" complete
check "no stranger is reported" [ "$(grep -cE 'cannot|killed|incomplete' err)" = 0 ]

# Processes of the command that do not know the token.
status=0
timeout "$limit" "$fltctl" record -L 8 -o trace.flt -- \
	sh -c 'env -i ./stranger hello 1000 > /dev/null; env -i ./stranger random 1000 > /dev/null
		exec "$0" fork' "$cases" > out 2> err || status=$?
check "messages without the token change nothing" cmp -s out native
check "nothing is lost without the token" complete
check "they are two" grep -q 'not recorded: 2 processes$' err

# Processes that know the token, and do not do what they announce.
for how in leave stay fork; do
	status=0
	timeout "$limit" "$fltctl" record -L 8 -o trace.flt -- \
		sh -c 'env -u LD_PRELOAD ./stranger insider "$1" > answer & "$0" fork
			while [ ! -s answer ]; do sleep 0.05; done' "$cases" "$how" > out 2> err || status=$?
	check "$how: the insider was answered" grep -q . answer
	check "$how: fltctl ends after the command" [ "$status" != 124 ]
	check "$how: the command prints the same as natively" cmp -s out native
	check "$how: nothing is lost" complete
done

# Processes that know the token, and send anything in each state of a connection, while programs run.
# fltctl kills those that seem to be images whose server died.
"$rounds" 12 1 > native
status=0
timeout $((limit * (1 + fuzz / 5000) * ${FLT_PATIENCE:-1})) "$fltctl" record -L 8 -o trace.flt -- \
	sh -c 'ls -l "/proc/$PPID/fd" > before
		(while [ ! -e fuzzed ]; do "$0" 12 1; done > beside) &
		env -u LD_PRELOAD ./stranger fuzz "$1" "$2" > sent; touch fuzzed; wait
		"$0" 12 1; ls -l "/proc/$PPID/fd" > after; exit 7' "$rounds" "$fuzz" "$seed" > out 2> err || status=$?
echo "# seed $seed: $(cat sent) messages, $(grep -c 'was killed' err || true) killed," \
	"$(grep -c 'cannot limit or record' err || true) refused, $(wc -l < before) and $(wc -l < after) descriptors"
check "messages were sent in each state" awk -v n="$fuzz" \
	'{ exit !(NF == 9 && $1 >= n && $3 > n / 50 && $5 > n / 50 && $7 > n / 50 && $9 > n / 50) }' sent
check "fltctl ends with the command, and returns its status" [ "$status" = 7 ]
check "the command prints the same as natively" cmp -s out native
check "a program beside prints the same as natively" cmp -s <(sort -u beside) <(sort -u native)
check "nothing is lost" complete
check "the recording is in order" in_order
check "no descriptor is left" [ "$(wc -l < after)" -le $(($(wc -l < before) + 8)) ]
check "texts of the messages do not reach the terminal as they are" \
	[ "$(LC_ALL=C grep -cP '[\x00-\x08\x0b-\x1f\x7f]' err || true)" = 0 ]
finish
