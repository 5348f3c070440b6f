/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fltuffd.h - memory whose pages are read when they are accessed (libfltuffd).
 *
 * A pager owns a region of private anonymous memory. Threads of the pager fill a page that is
 * accessed and missing from the pager's backing. The accessing thread sleeps until then, also
 * in system calls. With a limit the pager evicts pages: clean pages are dropped, changed pages
 * are written to the backing first, or to a private file in memory if the backing cannot be
 * written.
 *
 * Functions return 0 or a count, or -errno. Any thread may call them at any time, but
 * fltuffd_close() only once and last. There is no global state.
 *
 * A page that the backing cannot supply is never filled with zeros. Accesses to it raise
 * SIGBUS (SIGSEGV before Linux 6.6), config.on_error is called, and fltuffd_error() keeps the
 * first error. To get an error code instead of a signal, call fltuffd_load() before the
 * access.
 *
 * Forked children do not have the region: accesses there raise SIGSEGV. Do not unmap or move
 * the region. After madvise(MADV_DONTNEED) pages are read from the backing again. Stores that
 * were not written there are lost. The library needs Linux 5.11 and CAP_SYS_PTRACE. The
 * capability is not needed if /proc/sys/vm/unprivileged_userfaultfd is 1.
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

#define FLTUFFD_VERSION 0	/* of the soname */

struct fltuffd;

/*
 * Where pages are read from and, if write is not NULL, written to. Several threads of the
 * pager may call these functions at once, but never for overlapping ranges. The functions
 * must not access the region. offset and n are multiples of the page size. read returns 0
 * with all n bytes set, or -errno. close is called once, by fltuffd_close().
 */
struct fltuffd_backing {
	int (*read)(void *context, uint64_t offset, void *data, size_t n);
	int (*write)(void *context, uint64_t offset, const void *data, size_t n);
	void (*close)(void *context);
	void *context;
};

/* All zeros. Changed pages are kept in memory. */
int fltuffd_backing_zero(struct fltuffd_backing *b);
/*
 * A file from offset `start` on, and zeros after its end. fd is duplicated. writable: changed
 * pages are written back when they are evicted and by fltuffd_sync().
 */
int fltuffd_backing_file(struct fltuffd_backing *b, int fd, uint64_t start, bool writable);
/*
 * A page server at "unix:PATH" or "tcp:HOST:PORT". A read fails with -ETIMEDOUT if the
 * answer takes longer than timeout_ms (0 = 5 s). After any failure of the connection all reads
 * fail with the same error. *size, if not NULL: number of bytes that the server has.
 */
int fltuffd_backing_remote(struct fltuffd_backing *b, const char *address, unsigned int timeout_ms,
			   uint64_t *size);

/*
 * Serve pages of a file on one connection. Blocks until the client hangs up (returns 0) or an
 * error occurs. Use one thread or process per connection.
 */
int fltuffd_serve_pages(int connection, int fd);
/* Open a listening socket for an address as above. Return a descriptor or -errno. */
int fltuffd_listen(const char *address);

enum fltuffd_policy {
	FLTUFFD_FIFO = 0,	/* evict the oldest page */
	FLTUFFD_CLOCK,		/* but spare each page once that came back after an eviction */
};

struct fltuffd_config {
	size_t bytes;		/* of the region; rounded up to pages */
	size_t limit;		/* most resident bytes, at least 16 pages; 0 = no limit */
	enum fltuffd_policy policy;
	unsigned int prefetch;	/* missing pages to read after the accessed one, at most 255 */
	unsigned int threads;	/* threads that fill pages, 0 = one */
	size_t records;		/* most faults to record, 0 = none */
	struct fltuffd_backing backing;
	/*
	 * A page cannot be read; err is -errno. Called by a pager thread or the caller of
	 * fltuffd_load(). It may call any function but fltuffd_close().
	 */
	void (*on_error)(void *context, uint64_t offset, int err);
	void *error_context;
};

/* Open a pager. It owns the backing from now on, also after an error. */
int fltuffd_open(struct fltuffd **pager, const struct fltuffd_config *config);
/*
 * Close a pager and unmap its region, which no thread may access any more. Changes are not
 * written: call fltuffd_sync() before.
 */
void fltuffd_close(struct fltuffd *pager);

void *fltuffd_memory(const struct fltuffd *pager);
size_t fltuffd_bytes(const struct fltuffd *pager);
/* Return the first error of the backing since the pager was opened, or 0. */
int fltuffd_error(const struct fltuffd *pager);

/*
 * Read [offset, offset + n) without accessing it. With a limit, pages at the beginning may be
 * evicted before the last ones are read. Return -errno of the first page that cannot be read.
 */
int fltuffd_load(struct fltuffd *pager, uint64_t offset, size_t n);
/* Write all changed pages to the backing. Return -EROFS if the backing cannot be written. */
int fltuffd_sync(struct fltuffd *pager);

#define FLTUFFD_BUCKETS 48

/* Since the pager was opened; nobody resets them. */
struct fltuffd_stats {
	uint64_t faults;	/* pages that a thread waited for */
	uint64_t refaults;	/* faults on pages that had been evicted */
	uint64_t writes;	/* faults of stores */
	uint64_t prefetched;	/* pages read before they were accessed */
	uint64_t evicted, written;
	uint64_t errors;
	uint64_t resident, resident_peak;	/* pages */
	uint64_t latency_ns;	/* sum over faults, from reading the message until filled */
	uint64_t latency[FLTUFFD_BUCKETS];	/* [i]: faults of 2^i to 2^(i+1) - 1 ns */
};
void fltuffd_stats(struct fltuffd *pager, struct fltuffd_stats *stats);

/* One recorded fault. */
struct fltuffd_record {
	uint64_t time;		/* CLOCK_MONOTONIC ns when the pager read its message */
	uint64_t offset;	/* in the region; before Linux 5.18 that of the page */
	uint32_t tid;
	uint32_t latency;	/* ns, saturated */
	bool write;
};
/*
 * Copy up to n records, oldest first. Return their number or -errno. *lost: number of faults
 * that were not recorded, because there was no room. The first faults are kept.
 */
ssize_t fltuffd_records(struct fltuffd *pager, struct fltuffd_record *out, size_t n,
			uint64_t *lost);

/*
 * Replay an order of accesses: after a fault on an offset of this order, read up to `ahead`
 * pages that follow it there. offset[] is copied. n = 0 ends the replay.
 */
int fltuffd_replay(struct fltuffd *pager, const uint64_t *offset, size_t n, unsigned int ahead);

#ifdef __cplusplus
}
#endif
#endif
