/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fltuffd.h - memory that is filled when it is touched (libfltuffd).
 *
 * A pager owns a region of private anonymous memory. A page that is touched and
 * not there is filled from the pager's backing, by threads of the pager; the
 * thread that touched it sleeps until then, in system calls, too. With a limit
 * the pager takes pages out again: clean ones are dropped, changed ones written
 * to the backing, or to a private file in memory if that cannot be written.
 *
 * Functions return 0 or a count, or -errno. All may be called by any thread at
 * any time, but fltuffd_close() only once and last. There is no global state.
 *
 * A page that the backing cannot give is never filled with zeros: whoever touches
 * it gets SIGBUS (SIGSEGV before Linux 6.6), config.on_error is told, and
 * fltuffd_error() keeps the first reason. To have an error code instead of a
 * signal, load pages with fltuffd_load() before touching them.
 *
 * The region is not passed on to forked children: they get SIGSEGV there. Do not
 * unmap or move it; madvise(MADV_DONTNEED) of it makes pages come from the backing
 * again as they last were there. Needs Linux 5.11 and, unless
 * /proc/sys/vm/unprivileged_userfaultfd is 1, CAP_SYS_PTRACE.
 */
#ifndef FLTUFFD_H
#define FLTUFFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FLTUFFD_VERSION 0	/* the soname's */

struct fltuffd;

/*
 * Where pages come from and, if write is not NULL, go to. Called by the pager's
 * threads, several at once, never for overlapping ranges; must not touch the
 * region. offset and n are multiples of the page size. read returns 0 with all n
 * bytes set, or -errno. close is called once, by fltuffd_close().
 */
struct fltuffd_backing {
	int (*read)(void *context, uint64_t offset, void *data, size_t n);
	int (*write)(void *context, uint64_t offset, const void *data, size_t n);
	void (*close)(void *context);
	void *context;
};

/* All zeros; what is changed is kept in memory. */
int fltuffd_backing_zero(struct fltuffd_backing *b);
/*
 * A file from `start` on; zeros beyond its end. fd is duplicated. With `writable`
 * changed pages are written back when evicted and by fltuffd_sync().
 */
int fltuffd_backing_file(struct fltuffd_backing *b, int fd, uint64_t start, bool writable);
/*
 * A page server: "unix:PATH" or "tcp:HOST:PORT". An answer that takes longer than
 * timeout_ms (0: 5 s) is -ETIMEDOUT; after any failure of the connection every
 * read fails with that error. *size, if not NULL: bytes that the server has.
 */
int fltuffd_backing_remote(struct fltuffd_backing *b, const char *address, unsigned int timeout_ms,
			   uint64_t *size);

/*
 * The other end: answers requests of one connection from a file, until the client
 * hangs up (0) or an error. Blocks; one thread or process for each connection.
 */
int fltuffd_serve_pages(int connection, int fd);
/* A listening socket for an address as above; a descriptor or -errno. */
int fltuffd_listen(const char *address);

enum fltuffd_policy {
	FLTUFFD_FIFO = 0,	/* evict what came first */
	FLTUFFD_CLOCK,		/* but pass over once what came back before */
};

struct fltuffd_config {
	size_t bytes;		/* of the region; rounded up to pages */
	size_t limit;		/* bytes resident at most, 0: no limit; at least 16 pages */
	enum fltuffd_policy policy;
	unsigned int prefetch;	/* pages to read beyond a missing one, if missing, too; at most 255 */
	unsigned int threads;	/* that fill pages; 0: one */
	size_t records;		/* faults the access recorder keeps; 0: none */
	struct fltuffd_backing backing;
	/*
	 * A page could not be had; err is -errno. Called by a pager thread, or by that of
	 * fltuffd_load(); it may call any function but fltuffd_close().
	 */
	void (*on_error)(void *context, uint64_t offset, int err);
	void *error_context;
};

/* backing is the pager's from here on, even if this fails. */
int fltuffd_open(struct fltuffd **pager, const struct fltuffd_config *config);
/* Nobody may touch the region any more. Changes are not written: see fltuffd_sync(). */
void fltuffd_close(struct fltuffd *pager);

void *fltuffd_memory(const struct fltuffd *pager);
size_t fltuffd_bytes(const struct fltuffd *pager);
/* The first error of the backing since the pager was opened, or 0. */
int fltuffd_error(const struct fltuffd *pager);

/*
 * Bring in [offset, offset + n) without touching it; pages that are there count
 * as brought in. -errno of the first page that cannot be had.
 */
int fltuffd_load(struct fltuffd *pager, uint64_t offset, size_t n);
/* Write all changed pages to the backing; -EROFS if it takes none. */
int fltuffd_sync(struct fltuffd *pager);

#define FLTUFFD_BUCKETS 48

/* Since the pager was opened; nobody resets them. */
struct fltuffd_stats {
	uint64_t faults;	/* pages that somebody slept for */
	uint64_t refaults;	/* of them, pages that had been evicted */
	uint64_t writes;	/* of them, for a store */
	uint64_t prefetched;	/* pages brought in before they were asked for */
	uint64_t evicted, written;
	uint64_t errors;
	uint64_t resident, resident_peak;	/* pages */
	uint64_t latency_ns;	/* sum over faults, from hearing of it until filled */
	uint64_t latency[FLTUFFD_BUCKETS];	/* [i]: faults of 2^i to 2^(i+1) - 1 ns */
};
void fltuffd_stats(struct fltuffd *pager, struct fltuffd_stats *stats);

/* One recorded fault. */
struct fltuffd_record {
	uint64_t time;		/* CLOCK_MONOTONIC ns when the pager heard of it */
	uint64_t offset;	/* in the region; of the page before Linux 5.18 */
	uint32_t tid;
	uint32_t latency;	/* ns, saturated */
	bool write;
};
/*
 * The records so far, oldest first, up to n; how many, or -errno. *lost: faults
 * that found no room (the recorder keeps the first, not the last).
 */
ssize_t fltuffd_records(struct fltuffd *pager, struct fltuffd_record *out, size_t n, uint64_t *lost);

/*
 * From now on a fault at a place of this order brings in up to `ahead` pages
 * that follow it there. offset[] is copied; n = 0 ends it.
 */
int fltuffd_replay(struct fltuffd *pager, const uint64_t *offset, size_t n, unsigned int ahead);

#ifdef __cplusplus
}
#endif
#endif
