/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps.h - read the current mappings of a process from /proc/PID/maps. */
#ifndef FLT_SOURCE_MAPS_H
#define FLT_SOURCE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flt_maps_entry {
	uint64_t start, end;
	uint8_t protection;	/* 1 read, 2 write, 4 exec */
	bool shared;
	uint64_t offset, inode;
	uint32_t device;	/* as in struct flt_event_area */
	const char *name;	/* as in the file, with " (deleted)"; "" without a name */
};

/* A nonzero value ends the reading and is returned. */
typedef int (*flt_maps_fn)(void *arg, const struct flt_maps_entry *entry);

/* -ESRCH: the process has ended or has no memory; -EACCES. */
int flt_maps_read(uint32_t tgid, flt_maps_fn fn, void *arg);

/* Parse one line. entry->name points into the line. -EBADMSG. */
int flt_maps_parse(char *line, struct flt_maps_entry *entry);

/* Read the current name of the process; "" if the process has ended. */
void flt_maps_comm(uint32_t tgid, char *comm, size_t size);

/*
 * Return the maximum of pages mapped by one file fault: fault_around_bytes, or 64 KiB if
 * unreadable.
 */
uint32_t flt_maps_around(void);

#endif
