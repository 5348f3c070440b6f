# SPDX-License-Identifier: GPL-2.0-or-later
# Programs in namespaces of their own.
# shellcheck shell=bash disable=SC2154

program unshare 16 unshare -pf --mount-proc python3 "$here/run.py"
program bwrap 16 bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /run --unshare-pid \
	--unshare-ipc --unshare-uts --die-with-parent python3 "$here/run.py"
