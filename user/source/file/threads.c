// SPDX-License-Identifier: GPL-2.0-or-later
/* Write the threads and the cgroup of a running process, from /proc. */
#include <limits.h>

#include "source/proc/maps.h"
#include "source/proc/procfs.h"
#include "source/file/file.h"

struct thread_writer {
	struct flt_file_writer *writer;
	uint64_t time;
	uint32_t image, pid, threads;
};

static int write_thread(void *arg, uint32_t tid)
{
	struct thread_writer *t = arg;
	char comm[32];

	if (tid == t->pid)
		return 0;
	t->threads++;
	flt_maps_comm(tid, comm, sizeof(comm));
	return flt_file_thread(t->writer, t->time, t->image, tid, comm);
}

int flt_file_threads_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid,
			  uint32_t *threads)
{
	struct thread_writer t = {
		.writer = w, .time = time, .image = image, .pid = pid, .threads = 1,
	};
	int err = flt_procfs_each(pid, write_thread, &t);

	*threads = t.threads;
	return err;
}

int flt_file_cgroup_read(struct flt_file_writer *w, uint64_t time, uint32_t image, uint32_t pid,
			 uint32_t parent)
{
	char path[PATH_MAX];

	if (flt_procfs_cgroup(pid, path, sizeof(path)) &&
	    (!parent || flt_procfs_cgroup(parent, path, sizeof(path))))
		return 0;
	return flt_file_cgroup(w, time, image, path);
}
