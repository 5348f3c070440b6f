# SPDX-License-Identifier: GPL-2.0-or-later
# Programs in namespaces of their own.
# shellcheck shell=bash disable=SC2154

NEEDS='unshare python3' program unshare 16 unshare -pf --mount-proc /usr/bin/python3 "$here/run.py"
NEEDS='bwrap python3' ESCAPES='bwrap forks by a system call' program bwrap 16 bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /run --unshare-pid \
	--unshare-ipc --unshare-uts --die-with-parent /usr/bin/python3 "$here/run.py"
