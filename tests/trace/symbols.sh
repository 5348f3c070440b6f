#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# symbols.sh FLTCTL BUILD - names of code without symbols in its own file: the vdso, code of a
# JIT compiler, and files with separate debug information. Unknown code is named by object and
# offset.
set -euo pipefail

fltctl=$(realpath "$1") build=$(realpath "$2")
here=$(dirname "$(readlink -f "$0")")
pages=$(sed -n 's/^#define PAGES //p' "$here/lines.h")
tmp=$(mktemp -d)
mine=()
trap 'rm -rf "$tmp" "${mine[@]}"' EXIT
cd "$tmp"
failed=0

fail() {
	echo "symbols: $*" >&2
	failed=1
}

# faults FUNCTION [OBJECT]: print the number of faults in the report rows.csv
faults() {
	python3 -c '
import csv, os, re, sys
rows = list(csv.DictReader(open("rows.csv")))
mine = [r for r in rows if re.fullmatch(sys.argv[1], r["function"])
        and re.fullmatch(sys.argv[2], os.path.basename(r["object"]))]
print(sum(int(r["faults"]) for r in mine) if rows else "no_input")' \
		"$1" "${2:-.*}"
}

# about WHAT FUNCTION [OBJECT]
about() {
	local n
	n=$(faults "$2" "${3:-.*}")
	((n >= pages && n <= pages + 1)) || fail "$1: $n faults of $2 in ${3:-any object}, not $pages"
}

if ! "$fltctl" record -q -o t.flt -- true 2>err; then
	echo "symbols: SKIP: no perf events here: $(cat err)"
	exit 0
fi

# ---- code without a file ----
"$fltctl" record -q -o t.flt -- "$build/nofile" >said
read -r pid untold <said
mine+=("/tmp/perf-$pid.map")
"$fltctl" report --csv --by function t.flt >rows.csv
about 'the vdso' '(__vdso_)?getcpu' '\[vdso\]'
about 'a JIT' 'made at run time'
about 'a JIT with a dump' 'dumped at run time'
"$fltctl" report --csv t.flt >stacks.csv
grep -q ',dumped at run time (made\.js:77)|' stacks.csv ||
	fail "the line of code in jit-PID.dump: $(grep dumped stacks.csv)"
about 'nobody knows' "\[anon\]\+0x$untold"

# fltctl ignores a perf map of another user.
if [ "$(id -u)" = 0 ]; then
	chown 65534 "/tmp/perf-$pid.map"
	"$fltctl" report --csv --by function t.flt >rows.csv
	[ "$(faults 'made at run time')" = 0 ] || fail "fltctl uses the perf map of another user"
fi

# The perf map of a real JIT compiler.
if command -v node >/dev/null; then
	cat >hot.js <<'END'
const kept = [];
function hotAllocator(n) { for (let i = 0; i < n; i++) kept.push(new Array(500).fill(i)); }
for (let k = 0; k < 40; k++) hotAllocator(200);
console.log(process.pid);
END
	"$fltctl" record -q --engine perf -o t.flt -- node --perf-basic-prof hot.js >said 2>err || true
	read -r pid <said || pid=0
	mine+=("/tmp/perf-$pid.map")
	"$fltctl" script --json t.flt 2>/dev/null | grep -c 'hotAllocator' >n || true
	(($(cat n) > 0)) || fail "node: no stack with hotAllocator"
fi

# ---- separate debug information ----
cp "$build/lines-pie" whole
objcopy --only-keep-debug whole whole.debug
objcopy --strip-all whole stripped
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
"$fltctl" record -q -o t.flt -- ./stripped "$build/lineslib.so"
# A debug file under /usr/lib/debug is found by build-id, even if the program was removed.
for gone in '' ./stripped; do
	# shellcheck disable=SC2016 # the inner shell expands them
	unshare -rm bash -c '
		set -e
		mount -t tmpfs none /usr/lib/debug
		mkdir -p "/usr/lib/debug/.build-id/${1:0:2}"
		cp whole.debug "/usr/lib/debug/.build-id/${1:0:2}/${1:2}.debug"
		[ -z "$3" ] || rm "$3"
		"$2" report --csv --by function t.flt' - "$id" "$fltctl" "$gone" >rows.csv 2>err ||
		{ cat err; fail "cannot set up the debug file"; }
	about "by build-id${gone:+, the file gone}" frameless
	about "by build-id${gone:+, the file gone}" innermost
done

# fltctl contacts debuginfod servers only if asked to. A test server records its requests.
objcopy --strip-all whole stripped
cat >server.py <<'END'
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("asked", "a").write(self.path + "\n")
        self.send_error(404)
    log_message = lambda *a: None
s = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(s.server_address[1], flush=True)
s.serve_forever()
END
if grep -q 'libdebuginfod\.so\.1 ' <(ldconfig -p); then
	python3 server.py >port &
	server=$!
	for _ in $(seq 100); do
		[ -s port ] && break
		sleep 0.1
	done
	for urls in '' "http://127.0.0.1:$(cat port)"; do
		rm -rf asked cache
		env -u DEBUGINFOD_URLS HOME="$tmp" DEBUGINFOD_CACHE_PATH="$tmp/cache" \
			${urls:+DEBUGINFOD_URLS=$urls} "$fltctl" report --csv --by function t.flt >rows.csv 2>err
		[ "$(test -e asked && grep -c "/buildid/$id/" asked)" != "" ] && now=asked || now='not asked'
		[ "$now" = "${urls:+asked}" ] || [ "$now$urls" = 'not asked' ] ||
			fail "debuginfod is $now with DEBUGINFOD_URLS='$urls'"
	done
	kill "$server"
else
	echo "symbols: SKIP: no libdebuginfod"
	"$fltctl" report --csv --by function t.flt >rows.csv 2>err
fi
n=$(faults 'stripped\+0x.*' stripped)
((n >= 4 * pages)) || fail "without symbols: $n faults named by object and offset"

# ---- unwinding by .debug_frame, of a stripped file ----
objcopy --strip-all --keep-section=.debug_frame "$build/lines-frame" framed
readelf -S framed | grep -c '\.debug_frame' >n || fail "no .debug_frame to test"
"$fltctl" record -q --unwind dwarf -o t.flt -- ./framed "$build/lineslib.so"
mkdir .debug
objcopy --only-keep-debug "$build/lines-frame" .debug/framed
"$fltctl" script --json t.flt >faults.json
python3 - "$pages" <<'PY' || fail ".debug_frame: frames missing"
import json, re, sys
stacks = [re.findall(r"framed\+0x([0-9a-f]+)", f["stack"]) for f in map(json.loads, open("faults.json"))]
# 21 calls of one function from one place; above them main is the only function of the file
deep = [s for s in stacks if len(s) >= 22 and len(set(s[2:20])) == 1]
print("symbols: %d stacks of %d" % (len(deep), len(stacks))) if len(deep) < int(sys.argv[1]) else None
sys.exit(len(deep) < int(sys.argv[1]))
PY
exit $failed
