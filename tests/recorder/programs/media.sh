# SPDX-License-Identifier: GPL-2.0-or-later
# Programs for pictures, films and pages.
# shellcheck shell=bash disable=SC2016,SC2154

PARTIAL='its code is larger than its heap' EJECTS='a library locks memory for secrets' \
	program ffmpeg 12/24 ffmpeg -nostdin -v error -f lavfi -i testsrc=duration=3:size=640x360:rate=25 \
	-vf scale=1280:720 -c:v mpeg4 -threads 2 -fflags +bitexact -flags:v +bitexact -f framemd5 -
NEEDS=gs PARTIAL='its code is larger than its heap' program ghostscript 8/14 sh -c 'gs -q -dBATCH -dNOPAUSE -dSAFER -sDEVICE=ppmraw -r150 -sOutputFile=- "$0" | md5sum' \
	"$here/figure.ps"
# Its zygote and its seccomp filters need a user other than root.
if [ "$(id -u)" != 0 ]; then
	! wanted chromium || skip chromium "needs root, to run it as another user"
elif present chromium chromium; then
	mkdir -m 777 home
	chmod 711 .
	cp "$here/page.html" home
	chmod a+r home/page.html
	caps=+sys_ptrace,+perfmon,+bpf
	HOME=$work/home NEEDS=chromium ESCAPES='its zygote forks by a system call' \
		EJECTS='it protects memory that its sandbox needs' \
		PARTIAL='its code is larger than its heap' program chromium 16/160 \
		setpriv --reuid=65534 --regid=65534 --clear-groups \
		--inh-caps=$caps --ambient-caps=$caps sh -c 'rm -rf "$0/profile"; chromium --headless \
		--disable-gpu --no-first-run --user-data-dir="$0/profile" --virtual-time-budget=5000 \
		--dump-dom "file://$0/page.html" 2> /dev/null' "$work/home"
fi
