#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fltctl counts processes that the recorder cannot follow, and returns the status of an
# incomplete recording.
#
# usage: escape.sh BUILD-DIR
# shellcheck disable=SC2016	# $0 is for the shells that are recorded
set -euo pipefail

build=$(realpath "$1") here=$(dirname "$(realpath "$0")")
fltctl=$build/fltctl static_program=$build/tests/recorder/static_program
# shellcheck source=tests/recorder/check.bash
. "$here/check.bash"

case $(uname -m) in
aarch64) linker=/lib/ld-linux-aarch64.so.1 ;;
*) linker=/lib64/ld-linux-x86-64.so.2 ;;
esac

# Check that the last line of `err` counts escaped processes.
counts() { # COUNT
	tail -1 err | grep -qE "not limited and not recorded: $1 process(es)?\$"
}

# escapes NAME COUNT WHY COMMAND...
escapes() {
	local name=$1 count=$2 why=$3
	shift 3
	status=0
	timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- "$@" > out 2> err || status=$?
	rm -f trace.flt*
	check "$name: fltctl returns 3" [ "$status" = 3 ]
	check "$name: the last line of the summary counts $count" counts "$count"
	check "$name: a message names the reason" grep -q "$why" err
}

escapes "a static child" 1 'static_program is statically linked' sh -c '"$0"; :' "$static_program"
escapes "a static child, by PATH" 1 'static_program is statically linked' env "PATH=$(dirname "$static_program")" static_program
escapes "an empty environment" 2 'gets an environment' sh -c 'env -i "$0"; env -u LD_PRELOAD "$0"; :' /bin/true
printf '#! %s\n' "$static_program" > script
chmod +x script
escapes "a script for it" 1 'script is statically linked' sh -c './script; :'
# The dynamic linker of another C library ends a program that cannot load the recorder.
if command -v musl-gcc > /dev/null; then
	musl-gcc -O2 -o other_libc "$here/other_libc.c"
	printf '#! %s\n' "$PWD/other_libc" > other_script
	chmod +x other_script
	for how in './other_libc' ./other_script 'exec ./other_libc' 'command env ./other_libc' \
		"/usr/bin/python3 -c 'import subprocess as s; s.run([\"./other_libc\"])'" \
		"/usr/bin/python3 -c 'import os; os.execve(os.open(\"other_libc\", os.O_RDONLY), [\"x\"], os.environ)'" \
		"/usr/bin/python3 -c 'import os; os.posix_spawn(\"other_libc\", [\"x\"], os.environ); os.wait()'"; do
		escapes "$how" 1 'uses another C library than the recorder' \
			sh -c "$how"
		check "$how: the native output" [ "$(cat out)" = "LD_PRELOAD=" ]
	done
	status=0
	timeout "$limit" "$fltctl" record -L 8 --engine=preload -o trace.flt -- ./other_script > out 2> err || status=$?
	check "a command with another C library: status" [ "$status" = 5 ]
	check "a command with another C library: reason" grep -q 'cannot limit .*/other_libc: another C library' err
else
	echo "ok another C library # skip: missing musl-gcc (package musl-tools)"
fi
# A script is limited as its interpreter is.
status=0
timeout "$limit" "$fltctl" record -L 8 --engine=preload -o trace.flt -- ./script > out 2> err || status=$?
check "a script for a static program: status" [ "$status" = 5 ]
check "a script for a static program: reason" grep -q 'static_program: statically linked' err
# The recorder does not see limits that another process sets.
limit_other='prlimit --pid $$ --as=1000000000'
escapes "no address space" 1 'ulimit -v or -d is too low' sh -c "$limit_other; /bin/true; :"
echo "kept" | "$fltctl" record -q -L 8 -o trace.flt -- sh -c "$limit_other; cat" > out 2> err || true
rm -f trace.flt*
check "a failed start keeps standard input" grep -q kept out
# After a failed start, a fork must not wait for a server.
escapes "no descriptors" 2 'cannot limit or record' \
	bash -c 'ulimit -n 6; exec /usr/bin/python3 -c "import os
if not os.fork(): os._exit(0)
os.wait()"'
# fltctl has few descriptors. Which one it lacks first depends on their number.
for n in 14 15 16 18; do
	status=0
	(ulimit -n $n; exec timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- \
		bash -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1 & done; wait') > out 2> err || status=$?
	rm -f trace.flt*
	check "fltctl with $n descriptors does not succeed or hang" grep -qx "[13]" <<< "$status"
	check "fltctl with $n descriptors names the reason" grep -qi 'too many open files' err
done
escapes "a raw fork" 1 'forked past the recorder: 1 process$' "$build/tests/recorder/cases" fork_raw
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
	chmod 755 .
	cp "$build/libfltrec.so" "$fltctl" .
	fltctl=$work/fltctl
	cp /bin/true other_user
	chown 65534 other_user
	chmod u+s other_user
	escapes "another user" 1 'changes user, group' sh -c './other_user; :'
	status=0
	timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- \
		setpriv --no-new-privs sh -c './other_user; :' > out 2> err || status=$?
	check "a setuid program with no_new_privs does not escape: fltctl returns 0" [ "$status" = 0 ]
	mkdir nosuid
	if mount -t tmpfs -o nosuid none nosuid 2> /dev/null; then
		cp -p other_user nosuid
		timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- \
			sh -c 'nosuid/other_user; :' > out 2> err || status=$?
		umount nosuid
		check "a setuid program on a nosuid file system does not escape: fltctl returns 0" [ "$status" = 0 ]
	fi
	if command -v setcap > /dev/null && cp /bin/true with_capability &&
		setcap cap_net_raw+ep with_capability 2> /dev/null; then
		caps=+sys_ptrace,+perfmon,+bpf
		chmod 777 .
		escapes "capabilities of a file" 1 'changes user, group or capabilities' \
			setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=$caps \
			--ambient-caps=$caps sh -c './with_capability; :'
	fi
	escapes "another network namespace" 1 'out of reach of fltctl' \
		unshare -n /bin/true
	escapes "another PID namespace of children" 1 'children get another PID namespace' \
		unshare -p /bin/true
	libc=/lib/$(uname -m)-linux-gnu
	mkdir -p other_root/bin "other_root${linker%/*}" "other_root$libc"
	cp /bin/true other_root/bin
	cp "$linker" "other_root$linker"
	cp "$libc/libc.so.6" "other_root$libc"
	escapes "another root" 1 "cannot read the recorder's library" \
		/usr/sbin/chroot other_root /bin/true
	escapes "no rights" 1 'open a userfaultfd' setpriv --reuid=65534 --clear-groups /bin/true
fi

# A process that adopts orphans does not wait for its own server.
cat > adopts.py <<'END'
import os
os.fork() or os._exit(0)
try:
    while True:
        os.wait()
except ChildProcessError:
    print("no child is left")
END
if unshare -pf true 2> /dev/null; then
	# The threads have other numbers in the namespace.
	# They live until their faults are in the file, which grows every second.
	timeout "$limit" "$fltctl" record -q -L 100 -o trace.flt -- unshare -pf /usr/bin/python3 -c '
import os, threading, time
def run():
    bytearray(4 << 20)
    for _ in range(2):
        size = os.path.getsize("trace.flt")
        while os.path.getsize("trace.flt") == size:
            time.sleep(0.01)
t = threading.Thread(target=run)
t.start()
t.join()' > out 2> err
	"$fltctl" script --json --no-stack trace.flt > faults
	check "threads of a PID namespace have names and the numbers of this one" python3 - << 'END'
import json
rows = [json.loads(line) for line in open("faults")]
threads = {(r["pid"], r["tid"], r["comm"]) for r in rows if r["comm"] != "unshare"}
assert len(threads) == 2 and all(comm == "python3" for _, _, comm in threads), threads
assert {pid == tid for pid, tid, _ in threads} == {True, False}, threads
END
	status=0
	timeout "$limit" "$fltctl" record -q -L 100 -o trace.flt -- unshare -pf /usr/bin/python3 adopts.py \
		> out 2> err || status=$?
	check "the init of a PID namespace ends" [ "$status" = 0 ]
	check "the init of a PID namespace has no child in the end" grep -q 'no child is left' out
fi

# fltctl must count messages that arrive together after the last process ended.
"$fltctl" record -q -L 8 -o trace.flt -- python3 -c 'import os, signal, sys
os.kill(os.getppid(), signal.SIGSTOP)
for _ in range(50): os.waitpid(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
open("pid", "w").write(str(os.getpid()))' "$static_program" > out 2> err &
record=$!
for _ in $(seq 300); do
	[ -s pid ] && grep -q '^State:.Z' "/proc/$(cat pid)/status" && break
	sleep 0.1
done
kill -CONT $record
status=0
wait $record || status=$?
rm -f trace.flt*
check "all messages of ended processes arrive" [ "$(grep -c 'static_program is statically linked' err)" = 50 ]
check "all ended processes are counted" counts 50
check "fltctl returns 3 after messages of ended processes" [ $status = 3 ]

# However many children a program forks at once, all of them stay limited.
cat > forks.py <<'END'
import os, sys
forks = children = 0
while forks < 100 or sys.argv[1:] and not os.path.exists(sys.argv[1]):
    forks += 1
    if not os.fork():
        os._exit(0)
    children += 1
    while forks > 100 and children and os.waitpid(-1, os.WNOHANG)[0]:
        children -= 1
while children:
    os.wait()
    children -= 1
END
status=0
timeout "$limit" "$fltctl" record -q -L 1000 -o trace.flt -- python3 forks.py > out 2> err || status=$?
rm -f trace.flt*
check "100 children forked at once are limited: $(tail -n 1 err)" [ $status = 0 ]

# The same if the program, its children and their servers are stopped for longer than a server waits
# for a child to connect.
timeout "$limit" "$fltctl" record -q -L 1000 -o stopped.flt -- python3 "$PWD/forks.py" "$PWD/enough" \
	> out 2> stopped.err &
record=$!
members() { # all but fltctl
	pgrep -f "$PWD/forks.py" | while read -r pid; do
		case $(cat "/proc/$pid/comm" 2> /dev/null) in
		timeout | fltctl) ;;
		*) echo "$pid" ;;
		esac
	done
}
for _ in $(seq 600); do
	mapfile -t stopped < <(members)
	[ ${#stopped[@]} -lt 4 ] || break
	sleep 0.1
done
kill -STOP "${stopped[@]}" 2> /dev/null || true
check "a program, its server and children were stopped" [ ${#stopped[@]} -ge 4 ]

# A child that waits for fltctl stays limited, however long fltctl takes.
status=0
timeout "$limit" "$fltctl" record -q -L 1000 -o trace.flt -- python3 -c 'import os, signal, time
os.kill(os.getppid(), signal.SIGSTOP)
child = os.fork()
if not child: os._exit(0)
time.sleep(11)
os.kill(os.getppid(), signal.SIGCONT)
os.waitpid(child, 0)' > out 2> err || status=$?
rm -f trace.flt*
check "a child that waits for fltctl is limited: $(tail -n 1 err)" [ $status = 0 ]
touch enough
kill -CONT "${stopped[@]}" 2> /dev/null || true
status=0
wait $record || status=$?
rm -f stopped.flt*
check "children that were stopped are limited: $(tail -n 1 stopped.err)" [ $status = 0 ]

# fltctl hangs up on a child whose parent it does not know. The child gets its pages, and the parent
# does not wait for it.
cases=$build/tests/recorder/cases
"$cases" advise_self > native.out
status=0
timeout "$limit" "$build/tests/recorder/hangup" "$build/libfltrec.so" "$cases" advise_self > out 2> err || status=$?
check "a child without fltctl was let go" [ "$(tail -n 1 out)" = "hung up on 1, let go 1" ]
check "its parent does the same as natively" [ $status = 0 -a "$(head -n -1 out)" = "$(cat native.out)" ]

# Each way to execute a program must succeed or fail as natively, and fltctl must report
# exactly the programs that ran. `here` is in the working directory, but not in PATH.
execs=$build/tests/recorder/execs
mkdir -p found ways/dir
cp "$static_program" found/found_static_program
cd ways
ln -s "$execs" good
cp "$static_program" here_static_program
ln -s here_static_program link_static_program
printf '#! %s\n' "$static_program" > script_static_program
printf '#!/bin/sh\nprintf "[%%s]" "$@"; echo " $ADDED"\n' > script
printf 'printf "<%%s>" "$@"; echo " $ADDED"\n' > shell
printf '#!/nothing\n' > nobody
printf '\177ELF' > broken
cp "$static_program" forbidden
chmod +x script script_static_program shell nobody broken
chmod 644 forbidden
path=$work/found:$PATH
for how in 'fork with' 'vfork without' 'handler with'; do
	# shellcheck disable=SC2086
	set -- "$execs" $how ./good ./script ./shell ./here_static_program ./link_static_program ./script_static_program "$PWD/here_static_program" \
		here_static_program found_static_program ./nobody ./nothing ./broken ./forbidden ./dir ''
	PATH=$path timeout "$limit" "$@" > ../native.out 2> /dev/null
	status=0
	PATH=$path timeout "$limit" "$fltctl" record -q -L 8 -o ../trace.flt -- "$@" > ../out 2> ../err || status=$?
	rm -f ../trace.flt*
	cp ../err err
	static_program_ran=$(grep -c 'static_program: 0$' ../native.out)
	bare_ran=0
	if [ "$how" = 'vfork without' ]; then
		bare_ran=$(grep -cE '^(execle|fexecve.*|execveat.*) \./(good|script): 0$' ../native.out)
		check "$how: some programs get an environment without the recorder" [ "$bare_ran" -gt 5 ]
	fi
	check "$how: the output is the same as natively" diff ../native.out ../out
	check "$how: $static_program_ran static programs ran, at least one in each way" \
		[ "$(grep 'static_program: 0$' ../native.out | cut -d' ' -f1 | sort -u | wc -l)" = 8 ]
	check "$how: fltctl reports each static program" [ "$(grep -c 'static_program is statically linked' err)" = "$static_program_ran" ]
	check "$how: fltctl reports $bare_ran programs with an environment without the recorder" [ "$(grep -c 'gets an environment' err)" = "$bare_ran" ]
	check "$how: the last line of the summary counts all escapes" \
		counts $((static_program_ran + bare_ran))
	check "$how: fltctl returns 3" [ "$status" = 3 ]
	path+=:		# an empty element of PATH means the working directory
done
cd ..

# Processes that do not escape, and programs that did not run.
status=0
timeout "$limit" "$fltctl" record -q -L 8 -o trace.flt -- \
	sh -c '/bin/true; ./nothing; env -i ./nothing; '"$linker"' /bin/true; :' > out 2> err || status=$?
check "fltctl returns 0 if no process escapes" [ "$status" = 0 ]
check "fltctl reports no escape if no process escapes" [ "$(grep -cE 'cannot limit|not recorded' err)" = 0 ]
finish
