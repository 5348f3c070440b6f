# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Prepare podman for the guide, in the current directory: an image called debian that shares the
# programs of this machine, because the guest has no network.

store=$PWD/store
mkdir -p image/{usr,etc,proc,sys,dev,tmp,run,root} "$store"
for directory in bin sbin lib lib64; do ln -s "usr/$directory" "image/$directory"; done
cat >"$store/storage.conf" <<CONF
[storage]
driver = "vfs"
graphroot = "$store/graph"
runroot = "$store/run"
CONF
cat >"$store/containers.conf" <<CONF
[containers]
netns = "none"
volumes = ["/usr:/usr:ro", "/etc:/etc:ro"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
CONF
export CONTAINERS_STORAGE_CONF=$store/storage.conf CONTAINERS_CONF=$store/containers.conf
tar -C image -c . | podman import -q - debian >/dev/null
