# SPDX-License-Identifier: GPL-2.0-or-later
# equal.awk ORACLE ROWS - compare the counts of flt with those of the kernel, per process.
#
# ORACLE is the output of faultrun, ROWS that of fltq follow. Variables:
#	name=TEXT	the name of the case, for messages
#	tree=1		the oracle has only the sum of most processes, not their lines
#	hist=1		ROWS has histograms
#	may_miss=1	the probe may miss faults
#	late=1		counting began after the root process of the session started, so the
#			row of the root process lacks its earlier faults

function num(key) { return (key in v) ? v[key] + 0 : 0 }
function wrong(text) { printf "BAD: %s: %s\n", name, text; failed = 1 }

function parse(   i, at) {
	delete v
	for (i = 2; i <= NF; i++) {
		at = index($i, "=")
		v[substr($i, 1, at - 1)] = substr($i, at + 1)
	}
}

# Check one sum over the histograms.
function equal_hist(what, got, want) {
	if (got != want)
		wrong("histograms: got " got + 0 " " what ", expected " want + 0)
}

BEGIN {
	split("unknown anon huge file shared cow wp swap numa migration uffd hugetlb device " \
		"spurious", kind_name, " ")
}

FNR == 1 { file++ }

file == 1 && $1 == "proc" {
	key = $2 " " $3
	if (key in minor)
		wrong("the oracle has " key " twice")
	comm[key] = $4; minor[key] = $5; major[key] = $6
	processes++
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
	seen[v["id"]] = num("minor") + num("major") - num("missed")
	if (!first_id || v["id"] + 0 < first_id) first_id = v["id"] + 0
	row_minor[key] = num("minor"); row_major[key] = num("major")
	row_whole[key] = num("whole"); row_ended[key] = num("ended"); row_comm[key] = v["comm"]
	sum_minor += num("minor"); sum_major += num("major"); sum_failed += num("failed")
	sum_retried += num("retried"); missed += num("missed")
	kinds = 0
	for (k in v)
		if (index(k, "kind.") == 1)
			kinds += v[k]
	if (kinds != num("minor") + num("major"))
		wrong(key " (" v["comm"] "): the sum of the kinds is " kinds \
			", but minor + major is " num("minor") + num("major"))
	if (v["kind.unknown"] < num("missed"))
		wrong(key ": more missed faults than faults of unknown kind")
	if (num("stitched") > num("retried"))
		wrong(key ": more stitched than retried faults")
}

# The session at its start, when the root process had no fault in progress.
file == 2 && $1 == "base" {
	parse()
	have_base = 1
	for (k in v)
		base[k] = v[k]
	base_seen = num("minor") + num("major") - num("missed")
}

file == 2 && $1 == "latency" {
	parse()
	hists++
	if ("kind" in v) {
		k = kind_name[v["kind"] + 1]
		kind_count[k] += v["count"]
		kind_total += v["count"]; kind_ns += v["sum"]
		result_count[("major" in v) ? "major" : "minor"] += v["count"]
		if (v["max"] + 0 > kind_max) kind_max = v["max"] + 0
	} else if ("return" in v) {
		return_count[v["return"]] = v["count"]
	} else {
		proc_total += v["count"]; proc_ns += v["sum"]
		if ("proc" in v)
			proc_count[v["proc"]] = v["count"]
		else
			proc_other += v["count"]
	}
}

file == 2 && $1 == "session" {
	parse()
	for (k in v)
		session[k] = v[k]
	have_session = 1
	if (num("minor") != sum_minor || num("major") != sum_major || num("failed") != sum_failed ||
	    num("retried") != sum_retried)
		wrong("the session has " num("minor") " minor, " num("major") " major, " \
			num("failed") " failed and " num("retried") " retried faults, its rows " \
			sum_minor ", " sum_major ", " sum_failed " and " sum_retried)
	if (num("procs") != n)
		wrong("the session has " num("procs") " processes, but " n " rows")
	if (num("untracked"))
		wrong(num("untracked") " untracked processes")
}

# The histograms have the faults since the session was opened.
function compare_hists(   k, id, rest) {
	if (!hists || !have_base)
		wrong("missing input (" hists + 0 " histograms)")
	equal_hist("faults by kind", kind_total,
		session["minor"] + session["major"] - session["missed"] - base_seen)
	equal_hist("minor faults (with missed ones)", result_count["minor"] + result_count["major"],
		proc_total)
	if (!session["missed"]) {
		equal_hist("minor faults", result_count["minor"], session["minor"] - base["minor"])
		equal_hist("major faults", result_count["major"], session["major"] - base["major"])
	}
	equal_hist("ns by kind", kind_ns, session["latency_sum"] - base["latency_sum"])
	equal_hist("ns by process", proc_ns, kind_ns)
	if (kind_max > session["latency_max"] + 0)
		wrong("histograms: the maximum is above that of the session")
	for (k = 2; k in kind_name; k++)
		equal_hist("faults of kind " kind_name[k], kind_count[kind_name[k]],
			session["kind." kind_name[k]] - base["kind." kind_name[k]])
	equal_hist("returned RETRY", return_count[10], session["retried"] - base["retried"])
	rest = kind_total
	for (id in proc_count) {
		equal_hist("faults of row " id, proc_count[id],
			seen[id] - (id == first_id ? base_seen : 0))
		rest -= proc_count[id]
	}
	equal_hist("faults of processes beyond the limit", proc_other, rest)
}

END {
	if (hist)
		compare_hists()
	if (!processes || !have_session || !root_key)
		wrong("missing input (" processes + 0 " processes in the oracle, " \
			have_session + 0 " session lines, root '" root_key "')")
	if (missed && !may_miss)
		wrong(missed " missed faults")
	for (key in minor) {
		if (!(key in row_minor)) {
			# A process without faults has no row.
			if (minor[key] + major[key])
				wrong("no row for " key " (" comm[key] ") with " minor[key] \
					" minor + " major[key] " major faults")
			continue
		}
		if (key == root_key && late)
			continue
		if (!row_whole[key])
			wrong(key " (" row_comm[key] ") was not counted from its start")
		if (!row_ended[key])
			wrong(key " (" row_comm[key] ") has not ended")
		if (row_minor[key] != minor[key] || row_major[key] != major[key])
			wrong(key " (" row_comm[key] "): flt counted " row_minor[key] " minor + " \
				row_major[key] " major faults, the kernel " \
				minor[key] " + " major[key])
		compared++
	}
	if (tree) {
		# wait4() does not count the root, which is faultrun.
		if (!have_tree)
			wrong("missing input (no sum of the process tree)")
		if (sum_minor - row_minor[root_key] != tree_minor ||
		    sum_major - row_major[root_key] != tree_major)
			wrong("process tree: flt counted " sum_minor - row_minor[root_key] \
				" minor + " sum_major - row_major[root_key] \
				" major faults, wait4() " tree_minor " + " tree_major)
	} else {
		for (key in row_minor)
			if (!(key in minor))
				wrong("a row for " key " (" row_comm[key] \
					"), which is not in the oracle")
	}
	if (!compared)
		wrong("no process was compared")
	if (!failed)
		printf "%s: %d of %d processes equal," \
			" %d minor %d major %d failed %d retried%s\n", name,
			compared, n, sum_minor, sum_major, sum_failed, sum_retried,
			missed ? " " missed " missed" : ""
	exit failed
}
