# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# packages.bash - which package of Debian has a thing that programs.sh needs: a command, or a library.
# A command that is not listed is in every Debian system, or has the name of its package.

declare -A packages=(
	[bwrap]=bubblewrap [curl]=curl [ffmpeg]=ffmpeg [g++]=build-essential
	[gcc]=build-essential [git]=git [go]=golang-go [gs]=ghostscript
	[java]=openjdk-17-jdk-headless [javac]=openjdk-17-jdk-headless [jemalloc]=libjemalloc-dev
	[lua5.4]=lua5.4 [make]=build-essential [mimalloc]=libmimalloc-dev [nginx]=nginx-light
	[node]=nodejs [numpy]=python3-numpy [chromium]=chromium [postgres]=postgresql
	[python3]=python3 [rsync]=rsync [ruby]=ruby [sqlite3]=sqlite3 [tmux]=tmux [unshare]=util-linux
	[vim]=vim [xz]=xz-utils
)

package_of() { echo "${packages[$1]:-$1}"; } # THING

# Print the directory of the commands of PostgreSQL, or nothing.
postgres_bin() {
	find /usr/lib/postgresql -maxdepth 2 -name bin 2> /dev/null | sort -V | tail -n 1
}

# Return true if a program that includes HEADER can be compiled and linked with OPTION...
links() { # HEADER OPTION...
	echo "#include <$1>
int main(void) { return 0; }" | gcc -x c -o /dev/null - -x none "${@:2}" 2> /dev/null
}

installed() { # THING
	case $1 in
	numpy) /usr/bin/python3 -c 'import numpy' 2> /dev/null ;;
	postgres) [ -n "$(postgres_bin)" ] && command -v psql > /dev/null ;;
	jemalloc) links jemalloc/jemalloc.h -Wl,-Bstatic -ljemalloc -Wl,-Bdynamic -lm -lstdc++ -pthread ;;
	mimalloc) links mimalloc.h -lmimalloc ;;
	*) command -v "$1" > /dev/null ;;
	esac
}

# Print each package that scripts/setup does not install.
not_set_up() { # DIRECTORY-OF-SCRIPTS
	printf '%s\n' "${packages[@]}" | sort -u | while read -r package; do
		grep -qE "(^|\|)${package//+/\\+}([|[:space:]]|\$)" "$1"/packages*.txt "$1/programs.txt" ||
			echo "$package"
	done
}
