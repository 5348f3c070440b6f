/* SPDX-License-Identifier: GPL-2.0-or-later */
/* maps.h - what a process has mapped now, from /proc/PID/maps. */
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
	const char *name;	/* as the kernel writes it, " (deleted)" included; "" if none */
};

/* Another value than 0 ends the reading with it. */
typedef int (*flt_maps_fn)(void *arg, const struct flt_maps_entry *entry);

/* -ESRCH: the process is gone, or has no memory any more; -EACCES. */
int flt_maps_read(uint32_t tgid, flt_maps_fn fn, void *arg);

/* One line, for the above and for tests; entry->name points into it. -EBADMSG. */
int flt_maps_parse(char *line, struct flt_maps_entry *entry);

/* The name of the process as it is now; "" if it is gone. */
void flt_maps_comm(uint32_t tgid, char *comm, size_t size);

/* Pages that one file fault maps at most: fault_around_bytes in debugfs, 16 if it can't be read. */
uint32_t flt_maps_around(void);

#endif
