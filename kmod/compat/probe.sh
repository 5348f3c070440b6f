#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# probe.sh DIR COMPILER FLAG... - find out which interfaces a kernel has. Kbuild runs this
# script with the compiler and the flags of a module.
#
# Compile each file of probe/ against the headers of the kernel, and write the results to
# DIR/flt_compat.h: FLT_HAVE_<NAME> is 1 if probe/<name>.c compiles, or 0. Print the first
# comment of each file of need/ that does not compile: the module cannot do without that
# interface. Also print the name of the first probe that fails because of an error outside the
# probe, for example in a header. Such a result says nothing about the interface, so the module
# must not be built with it. DIR/log keeps the messages of the compiler.
#
# The results are kept in DIR. They are valid until the command, the compiler, the probes, or
# the contents of a header that a probe includes have changed. Concurrent calls with the same
# DIR are safe, because each one works in a directory of its own and replaces whole files.
set -eu
export LC_ALL=C
here=$(cd "${0%/*}" && pwd)
dir=$1
shift

state() { # HEADERS COMMAND
	headers=$1
	shift
	{
		echo "$*"
		"$@" --version 2>&1
		cat "$here/probe.sh" "$here"/probe/*.c "$here"/need/*.c
		cat "$headers"
		xargs cat <"$headers" 2>&1
	} | sha256sum
}

if [ -e "$dir/state" ] && [ "$(state "$dir/headers" "$@")" = "$(cat "$dir/state")" ]; then
	cat "$dir/missing"
	exit
fi
mkdir -p "$dir"
new=$(mktemp -d "$dir/new.XXXXXX")
trap 'rm -rf "$new"' EXIT
export new
mkdir "$new/log"

# clang has no such warning: there, incompatible-pointer-types includes it.
qualifiers=-Werror=discarded-qualifiers
echo 'int test;' >"$new/qualifiers.c"
"$@" $qualifiers -fsyntax-only "$new/qualifiers.c" >/dev/null 2>&1 || qualifiers=

# A file that does not compile has a list of its headers (-MD), too.
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\n' "$here"/probe/*.c "$here"/need/*.c |
	xargs -P "$(nproc)" -n 1 sh -c '
		for file; do :; done
		name=${file##*/}
		log=$new/log/${name%.c}
		if "$@" -MD -MF "$log.d" >"$log.txt" 2>&1; then : >"$log.ok"; fi' \
	sh "$@" -DMODULE -DKBUILD_MODNAME='"flt"' -DKBUILD_BASENAME='"probe"' \
	-DKBUILD_MODFILE='"flt"' -D__KBUILD_MODNAME=flt -include linux/compiler_types.h \
	-fsyntax-only -Wno-error -Werror=implicit-function-declaration \
	-Werror=incompatible-pointer-types -Werror=int-conversion $qualifiers
cat "$new"/log/*.d | tr ' ' '\n' | sed -n 's/.*\.h$/&/p' | sort -u >"$new/headers"

compiled() { # FILE
	name=${1##*/}
	[ -e "$new/log/${name%.c}.ok" ]
}

# Return true if all errors are in FILE itself, as they are if an interface is absent. The
# directory may have another name in messages: ccache can make paths relative.
absent() { # FILE
	name=${1##*/}
	grep 'error: ' "$new/log/${name%.c}.txt" >"$new/errors" &&
		! grep -qv "^\([^:]*/\)*$name:" "$new/errors"
}

{
	echo "/* Made by kmod/compat/probe.sh. */"
	for file in "$here"/probe/*.c; do
		name=${file##*/}
		value=0
		! compiled "$file" || value=1
		echo "#define FLT_HAVE_$(echo "${name%.c}" | tr '[:lower:]' '[:upper:]') $value"
	done
} >"$new/flt_compat.h"
{
	for file in "$here"/need/*.c; do
		compiled "$file" || sed -n '2s,^/\* \(.*\) \*/$,\1,p' "$file"
	done
	for file in "$here"/probe/*.c; do
		compiled "$file" || absent "$file" ||
			{ echo "headers that compile for probe ${file##*/}"; break; }
	done
} | paste -s -d , | sed 's/,/, /g' >"$new/missing"

# Keep the date of an unchanged header, so that kbuild compiles nothing again.
cmp -s "$new/flt_compat.h" "$dir/flt_compat.h" || mv "$new/flt_compat.h" "$dir/"
state "$new/headers" "$@" >"$new/state"
rm -rf "$dir/log"
mv "$new/log" "$new/headers" "$new/missing" "$dir/"
mv "$new/state" "$dir/" # the last one: the others are valid with it
cat "$dir/missing"
