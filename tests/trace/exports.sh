#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exports.sh FLTCTL GENERATE - read exports with other programs: CSV and JSON with Python,
# profile.proto with protoc, plots with an XML parser. Compare the output for an artificial
# recording with golden.txt.
set -euo pipefail

fltctl=$(realpath "$1") generate=$(realpath "$2")
here=$(dirname "$(readlink -f "$0")")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

"$generate" t.flt 20000 500
for what in folded speedscope perfetto pprof html svg; do
	"$fltctl" visualize "--$what" -o "t.$what" t.flt 2>/dev/null
done
"$fltctl" report --csv t.flt >t.csv
"$fltctl" report --format=fltrace t.flt >t.fltrace
"$fltctl" report --by function --json t.flt >t.rows
"$fltctl" script --json t.flt >t.script
"$fltctl" script --csv t.flt >t.script.csv
"$fltctl" trace --json -S -i t.flt >t.trace
"$fltctl" trace --json -F maj -p 1001 -i t.flt >t.trace.major
"$fltctl" trace -n 3 -i t.flt >t.trace.text

python3 - <<'PY'
import csv, json, re, xml.dom.minidom
N = 20000

stacks = {}
for line in open("t.folded"):
    stack, count = line.rstrip("\n").rsplit(" ", 1)
    assert stack not in stacks
    stacks[stack] = int(count)
assert sum(stacks.values()) == N

s = json.load(open("t.speedscope"))
p = s["profiles"][0]
assert s["$schema"] == "https://www.speedscope.app/file-format-schema.json"
assert p["type"] == "sampled" and len(p["samples"]) == len(p["weights"])
names = [f["name"] for f in s["shared"]["frames"]]
again = {}
for sample, weight in zip(p["samples"], p["weights"]):
    key = ";".join(names[i].replace(";", ":") for i in sample)
    again[key] = again.get(key, 0) + weight
assert again == stacks

rows = list(csv.DictReader(open("t.csv", newline="")))
assert list(rows[0]) == ["ips", "count", "percent", "op", "type", "lib", "code"]
assert sum(int(r["count"]) for r in rows) == N
assert all(len(r["ips"].split("|")) == len(r["lib"].split("|")) == 17 for r in rows)
assert sum(json.loads(l)["faults"] for l in open("t.rows")) == N

# The rules of fltrace's parse.py and prepare_flame_graph.py.
theirs = list(csv.DictReader(open("t.fltrace", newline="")))
assert list(theirs[0]) == ["ips", "flags", "count", "percent", "op", "type", "lib", "code"]
first = 0
for r in theirs:
    ips, libs, codes = r["ips"].split("|"), r["lib"].split("<//>"), r["code"].split("<//>")
    assert len(ips) == len(libs) == len(codes) == 19 and ips[:2] == theirs[0]["ips"].split("|")[:2], r
    assert libs[:2] == ["??", "??"] and codes[:2] == ["??:?", "??:?"], r
    for place in "<<<".join(codes).split("<<<"):
        assert "??" in place or re.fullmatch(r"[^:]*:[0-9]+", place), place
    assert int(r["flags"]) == {"read": 0, "write": 1}[r["op"]] + {"regular": 0, "zero": 32}[r["type"]], r
    assert int(r["percent"]) == int(r["count"]) * 100 // N, r
    first += int(r["count"]) * (r["type"] == "zero")
assert sum(int(r["count"]) for r in theirs) == N
assert first == sum(int(r["count"]) for r in rows if r["type"] == "alloc") > 0
assert any("<<<" in r["code"] for r in theirs) or not any("<" in r["code"] for r in rows)
lines = [json.loads(l) for l in open("t.script")]
assert len(lines) == N and len(list(csv.DictReader(open("t.script.csv")))) == N
traced = [json.loads(l) for l in open("t.trace")]
assert len(traced) == N
shift = traced[0]["time"] - lines[0]["time_ns"] - lines[0]["latency_ns"]
for t, l in zip(traced, lines):
    assert t["time"] - t["latency_ns"] - shift == l["time_ns"], (t, l)
    for key in ("latency_ns", "pid", "tid", "comm", "kind", "address", "ip", "weight"):
        assert t[key] == l[key], (key, t, l)
    assert t["access"] == {True: "w", False: "r"}["write" in l["flags"]], (t, l)
    assert [f.split()[0] for f in t["stack"]] == [f.split()[0] for f in l["stack"].split(" < ")], (t, l)
major = [l for l in lines if "major" in l["flags"] and l["pid"] == 1001]
assert len(major) == len(open("t.trace.major").readlines())
assert len(open("t.trace.text").readlines()) == 4
times = [l["time_ns"] for l in lines]
assert times == sorted(times)
kinds = {}
for l in lines:
    for f in l["flags"].split(","):
        kinds[f] = kinds.get(f, 0) + 1
by = {}
for r in rows:
    by[r["type"]] = by.get(r["type"], 0) + int(r["count"])
    by[r["op"]] = by.get(r["op"], 0) + int(r["count"])
assert kinds == by, (kinds, by)

for f in ("t.svg",):
    d = xml.dom.minidom.parse(f)
    assert d.documentElement.tagName == "svg"
PY

# CSV loads in pandas without options, with one line of names and numbers as numbers. This is the
# Python of Debian's packages.
for by in line function object thread vma address; do
	"$fltctl" report --by $by --csv t.flt >"t.$by.csv" 2>/dev/null
done
"$fltctl" report --diff t.flt --csv t.flt >t.diff.csv 2>/dev/null
"$fltctl" trace --csv -i t.flt >t.trace.csv
"$fltctl" map --csv t.flt >t.map.csv 2>/dev/null
"$fltctl" check --csv >t.check.csv || true
/usr/bin/python3 - <<'PY'
import pandas
N = 20000
assert pandas.read_csv("t.csv")["count"].sum() == N
for by in ("line", "function", "object", "thread", "vma", "address"):
    assert pandas.read_csv("t.%s.csv" % by)["faults"].sum() == N, by
assert pandas.read_csv("t.script.csv")["weight"].sum() == N
trace = pandas.read_csv("t.trace.csv")
assert trace["weight"].sum() == N and trace["latency_ns"].dtype == "int64"
for name, column in (("diff", "function"), ("map", "record"), ("check", "check")):
    frame = pandas.read_csv("t.%s.csv" % name)
    assert len(frame) and column in frame, (name, list(frame))
PY

# The fields of pprof's profile.proto that fltctl writes.
cat >profile.proto <<'PROTO'
syntax = "proto3";
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
message Line { uint64 function_id = 1; int64 line = 2; }
message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; }
message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
message Profile {
  repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Location location = 4;
  repeated Function function = 5; repeated string string_table = 6; int64 time_nanos = 9; int64 duration_nanos = 10;
  ValueType period_type = 11; int64 period = 12; int64 default_sample_type = 14;
}
PROTO
gzip -t t.pprof
gzip -dc t.pprof | protoc --decode=Profile profile.proto >profile.txt
if grep -E '^ *[0-9]+:' profile.txt; then
	echo 'pprof: a field is missing in the schema' >&2
	exit 1
fi
python3 - <<'PY'
import re
text = open("profile.txt").read()
samples = re.findall(r"^sample \{\n(.*?)^\}", text, re.S | re.M)
first = sum(int(re.findall(r"value: (\d+)", s)[0]) for s in samples)
touched = sum(int(re.findall(r"value: (-?\d+)", s)[1]) for s in samples)
back = sum(int(re.findall(r"value: (-?\d+)", s)[2]) for s in samples)
assert first == 20000 and touched + back == 20000 and touched > 0, (first, touched, back)
used = {i for s in samples for i in re.findall(r"location_id: (\d+)", s)}
known = set(re.findall(r"^location \{\n  id: (\d+)", text, re.M))
assert used and used <= known
PY

# Names that contain markup, quotes, separators or escape codes are exported as text.
"$generate" hostile.flt 300 3 4 hostile
for what in folded speedscope perfetto html svg; do
	"$fltctl" visualize "--$what" -o "h.$what" hostile.flt 2>/dev/null
done
"$fltctl" report hostile.flt >h.report
"$fltctl" script hostile.flt >h.script
"$fltctl" report --csv hostile.flt >h.csv
"$fltctl" script --csv hostile.flt >h.script.csv
python3 - <<'PY'
import csv, html.parser, json, xml.dom.minidom
for f in ("h.report", "h.script", "h.folded", "h.csv", "h.svg", "h.html", "h.script.csv"):
    data = open(f, "rb").read()
    assert data, f
    assert not any(b in data for b in (b"\x1b", b"\x07", b"\r")), f
    data.decode()
json.load(open("h.speedscope"))
d = xml.dom.minidom.parse("h.svg")
assert len(d.getElementsByTagName("script")) == 1
assert not any(a.startswith("on") for e in d.getElementsByTagName("*") for a in e.attributes.keys())
class Count(html.parser.HTMLParser):
    scripts = images = 0
    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.images += tag == "img"
        assert not any(k.startswith("on") for k, _ in attrs), attrs
p = Count()
p.feed(open("h.html").read())
assert (p.scripts, p.images) == (1, 0), (p.scripts, p.images)
assert "</script><img" in html.unescape(open("h.html").read())
rows = list(csv.DictReader(open("h.script.csv", newline="")))
assert len(rows) == 300 and all(r["pid"].isdigit() for r in rows)
PY

# The schema in the tree reads the trace for Perfetto: each fault of `script` is there.
protoc --proto_path="$here/../../user/view/export" --python_out=. perfetto.proto
"$fltctl" script --json hostile.flt >h.script.json
/usr/bin/python3 - <<'PY'
import collections, json
import perfetto_pb2 as schema

def read(name):
    trace = schema.Trace()
    trace.ParseFromString(open(name, "rb").read())
    tracks, names, open_at, faults, values = {}, {}, {}, [], collections.Counter()
    first = True
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id == 1 and packet.sequence_flags == (1 if first else 2)
        first = False
        for field, values_of in packet.interned_data.ListFields():
            for n in values_of:
                assert (field.name, n.iid) not in names and n.name
                names[field.name, n.iid] = n.name
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        track = tracks[event.track_uuid]
        if event.type == event.TYPE_COUNTER:
            assert track.counter.unit == schema.CounterDescriptor.UNIT_SIZE_BYTES and track.name
            values[track.name] += 1
        elif event.type == event.TYPE_SLICE_END:
            faults.append(open_at.pop(event.track_uuid) + (packet.timestamp,))
        else:
            notes = {names["debug_annotation_names", a.name_iid]: a for a in event.debug_annotations}
            fault = (track.thread.pid, track.thread.tid, names["event_names", event.name_iid],
                     names["event_categories", event.category_iids[0]], notes["address"].pointer_value,
                     "write" in notes, "refault" in notes, "major" in notes, packet.timestamp)
            assert track.parent_uuid in tracks and tracks[track.parent_uuid].process.pid == track.thread.pid
            if event.type == event.TYPE_INSTANT:
                faults.append(fault + (packet.timestamp,))
            else:
                assert event.type == event.TYPE_SLICE_BEGIN and event.track_uuid not in open_at
                open_at[event.track_uuid] = fault
    assert not open_at
    return faults, values

def compare(faults, script):
    want = collections.Counter((r["pid"], r["tid"], int(r["address"], 16), r["latency_ns"] or 0)
                               for r in map(json.loads, open(script)))
    got = collections.Counter((f[0], f[1], f[4], f[9] - f[8]) for f in faults)
    assert got == want, (len(got), len(want), list((want - got).items())[:3], list((got - want).items())[:3])

faults, values = read("t.perfetto")
assert len(faults) == 20000 and values
compare(faults, "t.script")
stacks = collections.Counter()
for line in open("t.folded"):
    stack, count = line.rstrip("\n").rsplit(" ", 1)
    stacks[stack.rsplit(";", 1)[1]] += int(count)
assert collections.Counter(f[2].replace(";", ":") for f in faults) == stacks
faults, values = read("h.perfetto")
compare(faults, "h.script.json")
PY

# babeltrace2 reads the CTF of trace: each field of each fault, in order of time.
"$fltctl" trace --ctf t.ctf -i t.flt 2>/dev/null
"$fltctl" trace --ctf h.ctf -i hostile.flt 2>/dev/null || [ $? = 3 ]
"$fltctl" trace --json -i t.flt >t.rows.trace 2>/dev/null
"$fltctl" trace --json -i hostile.flt >h.rows.trace 2>/dev/null || [ $? = 3 ]
/usr/bin/python3 - <<'PY'
import collections, json
import bt2

for name, lines in ("t.ctf", "t.rows.trace"), ("h.ctf", "h.rows.trace"):
    got, last = [], 0
    for message in bt2.TraceCollectionMessageIterator(name):
        if type(message) is bt2._EventMessageConst:
            assert message.event.name == "page_fault"
            f = message.event.payload_field
            time = message.default_clock_snapshot.value
            assert time >= last
            last = time
            got.append((time, int(f["pid"]), int(f["tid"]), int(f["address"]),
                        int(f["ip"]), int(f["latency_ns"]), str(f["comm"]), str(f["result"]),
                        str(f["kind"]), str(f["access"]), int(f["weight"]), str(f["path"])))
    want = []
    for r in map(json.loads, open(lines)):
        want.append((r["time"], r["pid"], r["tid"], int(r["address"], 16),
                     int(r.get("ip", "0"), 16), r.get("latency_ns", 0), r.get("comm", ""), r["result"],
                     r["kind"], r["access"], r["weight"], r.get("path", "")))
    assert len(got) == len(want) > 200, (name, len(got), len(want))
    # Each command reads the offset of the wall clock when it starts.
    assert len({a[0] - b[0] for a, b in zip(sorted(got), sorted(want))}) == 1
    strip = lambda rows: collections.Counter(row[1:] for row in rows)
    assert strip(got) == strip(want), (name, list((strip(want) - strip(got)).items())[:2],
                                       list((strip(got) - strip(want)).items())[:2])
PY
if "$fltctl" trace --ctf t.ctf -i t.flt 2>err; then
	echo "trace --ctf: an existing directory is overwritten" >&2
	exit 1
fi
grep -q 'cannot make directory t.ctf (give the name of a new directory)' err

# Golden: artificial recordings without symbols are equal on all machines.
"$generate" golden.flt 2000 20 6 plain
for what in line object thread vma; do
	echo "== report --by $what"
	"$fltctl" report --no-symbols --by "$what" golden.flt
done >golden.txt
{
	echo "== report --callers"
	"$fltctl" report --no-symbols --callers --min-percent 5 golden.flt
	echo "== folded"
	"$fltctl" visualize --no-symbols --folded -o - golden.flt
	echo "== script"
	"$fltctl" script --no-symbols golden.flt | sed -n 1,40p
} >>golden.txt
if [ "${BLESS:-}" ]; then
	cp golden.txt "$here/golden.txt"
fi
diff -u "$here/golden.txt" golden.txt

# Each row of --json is valid by its schema, and each key that a recording can have is in a row.
"$generate" u.flt 10000 300
for by in line function object thread vma address; do
	"$fltctl" report --by "$by" --json t.flt
done >t.report.json
"$fltctl" report --by stack --json t.flt >t.stack.json
"$fltctl" report --callees --json t.flt >t.tree.json
"$fltctl" report --callers --json t.flt >>t.tree.json
"$fltctl" report --diff u.flt --json t.flt >t.diff.json
"$fltctl" script --check --json t.flt >t.check.json
"$fltctl" trace --stacks --json -i t.flt >t.stacks.json
"$fltctl" map --heat --json t.flt >t.map.json
/usr/bin/python3 "$here/../docs/schemas.py" "$here/../../docs/json" report t.report.json \
	report-stack t.stack.json report-tree t.tree.json report-diff t.diff.json script t.script \
	script-check t.check.json
# What the artificial recording lacks: losses, paths of files, attempts, advice. A recording knows no
# cgroups, so trace has no sums of them, and no causes.
absent=attempts,cpu,cut,dev,inode,lost,lost_since,offset,path,advice,remedy,rights,stride
absent+=,cgroup,container,trace.faults,trace.minor,trace.major,trace.failed,trace.slowest_ns
absent+=,trace.cause$(printf ',trace.%s_ns' other io swap reclaim compaction thrashing copy queue \
	userfaultfd unmeasured lock)
/usr/bin/python3 "$here/../docs/schemas.py" "$here/../../docs/json" \
	-e "$absent" trace t.stacks.json map t.map.json
version=$("$fltctl" --version | sed -n 's/.*(json \([0-9]*\))$/\1/p')
for schema in "$here"/../../docs/json/*.json; do
	grep -q "\"urn:flt:json:[a-z-]*:$version\"" "$schema" ||
		{ echo "BAD: $schema does not have version '$version'"; exit 1; }
done
