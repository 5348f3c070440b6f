# SPDX-License-Identifier: GPL-2.0-or-later
# equal.awk ORACLE ROWS - is what flt says of each process what the kernel says?
#
# ORACLE is faultrun's output, ROWS that of fltq follow. Variables: name, of the
# case; tree=1: the oracle has no line for most processes, only the sum for the
# tree; may_miss=1: the probe was expected to miss some; late=1: counting began
# after the root of the session was born, so its row lacks what came before.

function num(key) { return (key in v) ? v[key] + 0 : 0 }
function wrong(text) { printf "BAD: %s: %s\n", name, text; failed = 1 }

function parse(   i, at) {
	delete v
	for (i = 2; i <= NF; i++) {
		at = index($i, "=")
		v[substr($i, 1, at - 1)] = substr($i, at + 1)
	}
}

FNR == 1 { file++ }

file == 1 && $1 == "proc" {
	key = $2 " " $3
	if (key in minor)
		wrong("the oracle has " key " twice")
	comm[key] = $4; minor[key] = $5; major[key] = $6
	known++
}
file == 1 && $1 == "tree" { tree_minor = $3; tree_major = $4; have_tree = 1 }

file == 2 && $1 == "interrupted" { wrong("the dump was interrupted") }

file == 2 && $1 == "root" { root_key = $2 " " $3; minor[root_key] = $4; major[root_key] = $5 }

file == 2 && $1 == "proc" {
	parse()
	n++
	ticks = sprintf("%d", int(v["start"] / 10000000))
	key = v["tgid"] " " ticks
	if (key in row_minor)
		wrong("two rows for " key)
	row_minor[key] = num("minor"); row_major[key] = num("major")
	row_whole[key] = num("whole"); row_ended[key] = num("ended"); row_comm[key] = v["comm"]
	sum_minor += num("minor"); sum_major += num("major"); sum_failed += num("failed")
	sum_retried += num("retried"); missed += num("missed")
	kinds = 0
	for (k in v)
		if (index(k, "kind.") == 1)
			kinds += v[k]
	if (kinds != num("minor") + num("major"))
		wrong(key " (" v["comm"] "): kinds add up to " kinds ", minor + major to " num("minor") + num("major"))
	if (v["kind.unknown"] < num("missed"))
		wrong(key ": more missed than of unknown kind")
	if (num("stitched") > num("retried"))
		wrong(key ": more stitched than retried")
}

file == 2 && $1 == "session" {
	parse()
	have_session = 1
	if (num("minor") != sum_minor || num("major") != sum_major || num("failed") != sum_failed ||
	    num("retried") != sum_retried)
		wrong("the session says " num("minor") " + " num("major") ", its rows " sum_minor " + " sum_major)
	if (num("procs") != n)
		wrong("the session has " num("procs") " processes and " n " rows")
	if (num("untracked"))
		wrong(num("untracked") " untracked")
}

END {
	if (!known || !have_session || !root_key)
		wrong("not all was read (" known + 0 " processes, session " have_session + 0 ")")
	if (missed && !may_miss)
		wrong(missed " missed")
	for (key in minor) {
		if (!(key in row_minor)) {
			# A process that never faulted has no row to miss.
			if (minor[key] + major[key])
				wrong("no row for " key " (" comm[key] ") with " minor[key] " + " major[key])
			continue
		}
		if (key == root_key && late)
			continue
		if (!row_whole[key])
			wrong(key " (" row_comm[key] ") is not counted from its birth")
		if (!row_ended[key])
			wrong(key " (" row_comm[key] ") has not ended")
		if (row_minor[key] != minor[key] || row_major[key] != major[key])
			wrong(key " (" row_comm[key] "): flt " row_minor[key] " + " row_major[key] \
				", the kernel " minor[key] " + " major[key])
		compared++
	}
	if (tree) {
		# All but the root, which is faultrun itself.
		if (!have_tree)
			wrong("no sum for the tree")
		if (sum_minor - row_minor[root_key] != tree_minor ||
		    sum_major - row_major[root_key] != tree_major)
			wrong("flt " sum_minor - row_minor[root_key] " + " sum_major - row_major[root_key] \
				" for the tree, wait4 " tree_minor " + " tree_major)
	} else {
		for (key in row_minor)
			if (!(key in minor))
				wrong("a row for " key " (" row_comm[key] "), which was not there")
	}
	if (!compared)
		wrong("nothing was compared")
	if (!failed)
		printf "%s: %d of %d processes equal, %d minor %d major %d failed %d retried%s\n", name,
			compared, n, sum_minor, sum_major, sum_failed, sum_retried,
			missed ? " " missed " missed" : ""
	exit failed
}
