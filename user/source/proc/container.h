/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * container.h - the name of a container or service, from the path of its cgroup.
 *
 * Paths come from the cgroup drivers "systemd" and "cgroupfs" of Docker, Podman, containerd and
 * CRI-O, from the kubelet, and from systemd.
 */
#ifndef FLT_SOURCE_CONTAINER_H
#define FLT_SOURCE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

#define FLT_CONTAINER_NAME 96

/*
 * Write "podman:0123456789ab", with the pod in front if there is one ("pod:01234567/..."), or the
 * name of a unit of systemd, as "ssh.service". Return false if the path is neither.
 */
bool flt_container_name(const char *path, char name[FLT_CONTAINER_NAME]);
/* Return that name, or else the path; NULL is "(unknown)". */
const char *flt_container_label(const char *path, char name[FLT_CONTAINER_NAME]);

#endif
