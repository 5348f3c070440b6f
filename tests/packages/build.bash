# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# build.bash - build the Debian packages in a root directory of a suite, and report the results.
#
# To be sourced, in the tree. The script that sources this file defines die(), and sets suite and
# arch. This file starts the script again in a mount namespace of its own, with a scratch
# directory t. The build's roots are kept under $cache/root.

: "${suite:?}" "${arch:?}"
PATH=$PATH:/usr/sbin:/sbin
cache=${FLT_CACHE:-/var/cache/flt}
[ "$(id -u)" = 0 ] || die "cannot make root directories: run as root (sudo)"
for program in mmdebstrap dpkg-deb; do
	command -v $program >/dev/null || die "missing $program: run scripts/setup"
done

if [ -z "${FLT_PACKAGES_SCRATCH:-}" ]; then
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/flt-packages.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
	FLT_PACKAGES_SCRATCH=$scratch unshare --mount --propagation private "tests/packages/${0##*/}" "$@"
	exit
fi
t=$FLT_PACKAGES_SCRATCH
# shellcheck source=dkms.conf
version=$(set +u; . ./dkms.conf; echo "$PACKAGE_VERSION")

passed=0 failed=0
log=$t/log
ok() { echo "ok $suite $arch: $1"; passed=$((passed + 1)); }
fail() {
	echo "FAIL $suite $arch: $1"
	tail -n "${2:-60}" "$log" | sed 's/^/    | /'
	failed=$((failed + 1))
}
# Run a command and report its status.
try() { # NAME COMMAND...
	local name=$1
	shift
	if "$@" >"$log" 2>&1; then
		ok "$name"
	else
		fail "$name"
	fi
}

# Print the packages of a field of debian/control that every build needs, but not the alternatives.
build_depends() { # FIELD
	sed -n "/^$1:/,/^[^ ]/s/^ \([a-z0-9.+-]*\)\(,\| (.*\)*$/\1/p" debian/control |
		grep -v debhelper-compat
}

# Make the root in which the packages are built, and print its path.
build_root() {
	local dir=$cache/root/packages-$suite-$arch wanted=build-essential,fakeroot,debhelper,lintian
	local foreign=()
	# systemd.pc has a package of its own since Debian 13.
	case $suite in
	bookworm) wanted+=,systemd;;
	*) wanted+=,systemd-dev;;
	esac
	if [ "$arch" = amd64 ]; then
		wanted+=,$({ build_depends Build-Depends; build_depends Build-Depends-Indep; } | paste -sd,)
	else
		# protoc-c runs during the build. pkgconf of that architecture has its pkg-config.
		foreign=(--architectures="amd64,$arch")
		wanted+=,crossbuild-essential-$arch,protobuf-c-compiler,qemu-user,pkgconf:$arch
		wanted+=,$(build_depends Build-Depends | grep -v '^protobuf-c-compiler' |
			sed "s/\$/:$arch/" | paste -sd,)
	fi
	mkdir -p "$cache/root"
	exec 9>"$cache/root/.packages-$suite-$arch.lock"
	flock 9
	if [ "$(cat "$dir/.packages" 2>/dev/null)" != "$wanted" ]; then
		rm -rf "$dir" "$dir.new"
		mmdebstrap --quiet --variant=minbase "${foreign[@]}" --include="$wanted" \
			"$suite" "$dir.new" >&2 || die "mmdebstrap failed"
		echo "$wanted" >"$dir.new/.packages"
		mv "$dir.new" "$dir"
	fi
	flock -u 9
	echo "$dir"
}

# Run a command in a root directory, with a temporary /tmp, /proc and /dev.
inside() { # ROOT COMMAND...
	local root=$1
	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private sh -euc '
		root=$1
		shift
		mount --bind /dev "$root/dev"
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmp "$root/tmp"
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
		exec chroot "$root" "$@"' sh "$root" "$@"
}

# Copy the files of the tree, whether committed or not, as version $2.
source_of() { # DIR VERSION
	mkdir -p "$1"
	git ls-files -co --exclude-standard -z | xargs -0 ls -d 2>/dev/null |
		tar cf - -T - | tar xf - -C "$1"
	[ "$2" = "$version" ] ||
		sed -i "s/$version/$2/" "$1"/{dkms.conf,Makefile,debian/changelog,kmod/main.c,kmod/stub.c}
}

# Build the packages in $root twice, in different directories, with another umask, language and
# time zone. They must have the same bytes. Ends the script if they cannot be built.
build_twice() { # OPTION-OF-DPKG-BUILDPACKAGE...
	local command="dpkg-buildpackage -us -uc -j2 $*"
	mkdir -p "$root/build" "$t/build/first" "$t/build/second/elsewhere"
	mount --bind "$t/build" "$root/build"
	source_of "$t/build/first/flt" "$version"
	source_of "$t/build/second/elsewhere/flt" "$version"
	try "$command" inside "$root" env LC_ALL=C.UTF-8 TZ=UTC \
		sh -c "umask 022 && cd /build/first/flt && $command"
	[ $failed = 0 ] || exit 1
	if grep -nE '^[^ ]+\.[ch]:[0-9]+:[0-9]+: (warning|error)' "$log" >"$t/warnings"; then
		cp "$t/warnings" "$log"
		fail "the compiler warns of nothing"
	else
		ok "the compiler warns of nothing"
	fi
	try "$command again" inside "$root" env LC_ALL=C TZ=Asia/Tokyo \
		sh -c "umask 002 && cd /build/second/elsewhere/flt && $command"
	try "both builds have the same bytes" same
	try "no package has a key" keyless
	# The rules depend on the suite.
	try "lintian finds no error" inside "$root" \
		sh -c 'lintian --allow-root --fail-on error /build/first/flt_*.changes'
}
same() {
	local deb rc=0
	for deb in "$t"/build/first/*.deb; do
		cmp "$deb" "$t/build/second/elsewhere/${deb##*/}" || rc=1
	done
	return $rc
}

keyless() {
	local deb rc=0
	for deb in "$t"/build/first/*.deb; do
		dpkg-deb -x "$deb" "$t/unpacked"
		tests/packages/no-keys "$t/unpacked" || rc=1
		rm -rf "$t/unpacked"
	done
	return $rc
}

summary() {
	echo "$suite $arch: $passed passed, $failed failed"
	[ $failed = 0 ]
}
