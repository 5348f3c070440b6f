# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# verdict.bash - judge a recorded run of programs.sh by its summary, record.err.
#
# Variables of a row:
#   COVERAGE  least percentage of the memory without files that the preload engine must limit
#   CHARGED   least percentage that the cgroup engine must reach: of the anonymous memory of all
#             processes of the command, charged to the cgroup (file `memory`, from charged.py); and of the
#             kernel's count of faults, recorded
#   ESCAPES   why some processes cannot be limited and recorded by the preload engine
#   EJECTS    why the preload engine takes memory out of the limit
#   PARTIAL   why the preload engine limits less than half of the memory
#   UNSEEN    why perf events, from which the cgroup engine has its faults, miss some of them
# A reason that does not apply to a run is as wrong as a missing one.
# shellcheck disable=SC2154 # the variables of a row

# Print the number that a regular expression finds in the summary, or nothing.
summary() { # EXPRESSION
	sed -n "s/$1/\1/p" record.err | tail -n 1
}

faults() { summary '^recorded [^:]*: \([0-9]*\) faults.*'; }
refaults() { summary '^recorded .*, \([0-9]*\) refaults.*'; }
evicted() { summary '^memory .*; \([0-9]*\) pages evicted.*'; }
escaped() { summary '.*not limited and not recorded: \([0-9]*\) process.*'; }
ejected() { summary '^ejected  \([^ ]*\) were taken out of the limit.*'; }
# Without files, if there is such a figure.
coverage() {
	local share
	share=$(summary '^coverage .* \([0-9.]*\)% without files.*')
	echo "${share:-$(summary '^coverage \([0-9.]*\)% .*')}"
}
swapped() { summary '^limited .*; \([^ ]*\) swapped out.*'; }
lost() { summary '^loss     \([0-9]*\) faults or stacks.*'; }
counted() { summary '^cgroup   \([0-9]*\) faults.*'; }
# Print PERCENT USED-KIB of the moment when the processes had the most memory.
charged() { sort -n memory | awk '{ used = $1; all = $2 } END { if (used) printf "%.1f %d", 100 * all / used, used }'; }

# Return true if A >= B, as fractions.
least() { # A B
	awk -v a="${1:-0}" -v b="$2" 'BEGIN { exit !(a >= b) }'
}

# Complain unless an event happened exactly if the row has a reason for it.
reason() { # WHAT HAPPENED REASON
	if [ -n "$2" ] && [ -z "$3" ]; then
		echo -n " $1, but the row does not say why ($2);"
	elif [ -z "$2" ] && [ -n "$3" ]; then
		echo -n " the row says '$3', but that did not happen: $1;"
	fi
}

judge_preload() { # STATUS NATIVE-STATUS: print what is wrong
	local want=$2 partial
	partial=$(grep -o 'less than half of the memory' record.err | tail -n 1)
	# The exit status of the command takes precedence over that of an incomplete recording.
	[ "$2" != 0 ] || [ -z "$(escaped)$partial" ] || want=3
	[ "$1" = "$want" ] || echo -n " status $1, expected $want;"
	least "$(faults)" 1 || echo -n ' no fault was recorded;'
	least "$(evicted)" 1 || echo -n ' no page was evicted;'
	[ -n "$(escaped)$partial" ] || grep -q '^loss     none' record.err || echo -n ' loss;'
	! grep -q ' was killed: ' record.err || echo -n ' a process was killed;'
	reason 'processes escaped' "$(escaped)" "${ESCAPES:-}"
	reason 'memory was ejected' "$(ejected)" "${EJECTS:-}"
	reason 'most of the memory was not limited' "$partial" "${PARTIAL:-}"
	least "$(coverage)" "${COVERAGE:-0}" ||
		echo -n " coverage $(coverage) % without files, expected ${COVERAGE:-0} %;"
}

judge_cgroup() { # STATUS NATIVE-STATUS: print what is wrong
	local want=$2 share
	[ "$2" != 0 ] || [ -z "$(lost)" ] || want=3
	[ "$1" = "$want" ] || echo -n " status $1, expected $want;"
	least "$(faults)" 1 || echo -n ' no fault was recorded;'
	# The size that is swapped out is that of one moment.
	[[ $(swapped) =~ ^[1-9] ]] || least "$(refaults)" 1 || echo -n ' nothing was swapped out;'
	[ -n "$(lost)" ] || grep -q '^loss     none' record.err || echo -n ' loss;'
	reason 'faults were lost' "$(lost)" "${UNSEEN:-}"
	! grep -q 'the kernel killed' record.err || echo -n ' a process was killed;'
	[ "${CHARGED:-}" ] || return 0
	share=$(charged)
	# Smaller figures are less exact than a percent: the kernel charges pages in advance.
	least "${share#* }" 65536 || echo -n " only ${share#* } KiB seen at a time, expected 64 MiB;"
	least "${share% *}" "$CHARGED" || echo -n " ${share% *} % of the memory is charged, expected $CHARGED %;"
	least "$(($(faults) * 100))" "$(($(counted) * CHARGED))" ||
		echo -n " $(faults) faults of $(counted) recorded, expected $CHARGED %;"
}

# Print the facts of a run that passed.
facts_preload() {
	echo -n "$(faults) faults, $(evicted) pages evicted, coverage $(coverage) %"
	[ -z "${ESCAPES:-}" ] || echo -n "; $(escaped) escaped ($ESCAPES)"
	[ -z "${EJECTS:-}" ] || echo -n "; $(ejected) ejected ($EJECTS)"
	[ -z "${PARTIAL:-}" ] || echo -n "; partial ($PARTIAL)"
}

facts_cgroup() {
	echo -n "$(faults) of $(counted) faults, $(refaults) refaults, $(swapped) swapped out"
	[ -z "${UNSEEN:-}" ] || echo -n "; $(lost) lost ($UNSEEN)"
	[ -z "${CHARGED:-}" ] || echo -n ", $(charged | sed 's/ .*/ %/') of the memory charged"
}
