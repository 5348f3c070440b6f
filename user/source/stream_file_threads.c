// SPDX-License-Identifier: GPL-2.0-or-later
/* Writer of trace files: the threads of a live process, from /proc. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "source/maps.h"
#include "source/stream_file.h"

int flt_file_threads_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid, uint32_t *threads)
{
	char path[300], comm[32];
	struct dirent *entry;
	uint32_t tid;
	DIR *dir;
	int err = 0;

	*threads = 1;
	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (!err && (entry = readdir(dir))) {
		tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		if (!tid || tid == pid)
			continue;
		++*threads;
		flt_maps_comm(tid, comm, sizeof(comm));
		err = flt_file_thread(w, time, image, tid, comm);
	}
	closedir(dir);
	return err;
}
