# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A private apt for one suite and architecture, with its own sources and lists under $cache/apt.
# fetch and matrix-new read this file. They set here and cache, define die(), and hold the lock
# $cache/kernel/.fetch.lock.

: "${here:?}" "${cache:?}"
mirror=

# Let apt-get and apt-cache use the lists of this suite and architecture.
apt_setup() { # SUITE ARCH
	local apt_dir=$cache/apt/$1-$2
	[ -n "$mirror" ] || mirror=$("$here/mirror") || exit 1
	mkdir -p "$apt_dir"/{lists/partial,cache/archives/partial,parts}
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" \
		>"$apt_dir/sources.list"
	cat >"$apt_dir/apt.conf" <<-END
		Dir::State::Lists "$apt_dir/lists";
		Dir::State::status "/dev/null";
		Dir::Cache "$apt_dir/cache";
		Dir::Etc::SourceList "$apt_dir/sources.list";
		Dir::Etc::SourceParts "$apt_dir/parts";
		APT::Architecture "$2";
		APT::Architectures { "$2"; };
		APT::Sandbox::User "root";
		APT::Update::Error-Mode "any";
		Acquire::Languages "none";
	END
	export APT_CONFIG=$apt_dir/apt.conf
}

# Call apt_setup, and read the lists from the archive.
apt_update() { # SUITE ARCH
	apt_setup "$1" "$2"
	echo "tests/vm/${0##*/}: reading the lists of $1 for $2" >&2
	apt-get -q update >&2 ||
		die "cannot read the lists of $1 from $mirror: check the network, or set FLT_MIRROR"
}
