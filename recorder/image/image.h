/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - the process image that is recorded: identity, configuration, totals.
 *
 * Two kinds of code run in an image. *Threads* of the program run the functions of libc that
 * the recorder replaces and, on path A, its signal handler. The *fault server* is a process
 * that shares this memory but nothing else of the program. It has no libc thread, so its code
 * makes raw system calls only. It never touches limited memory except through
 * /proc/self/mem, which fails where a load would fault. The folders image, region, unwind,
 * thread, trace, pager and server contain code of the server.
 *
 * All state is global, because a preloaded library has no caller that could keep it.
 *
 * Locks, in the order in which they are taken. Threads hold them with all signals blocked.
 *	rec_map_lock	extents of the region: mmap(), munmap() and the like, and fork.
 *			Threads only.
 *	rec_pager_lock	page states, eviction queue, totals, stack trie, ring.
 *			Threads and server.
 *	unwind lock	caches of the unwinder, private to backtrace.c. The server gives up
 *			after a few milliseconds.
 */
#ifndef FLT_REC_IMAGE_H
#define FLT_REC_IMAGE_H

#include "lib/core/sys.h"

#include <flt_ring.h>
#include <signal.h>
#include <stdbool.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "the recorder supports x86-64 and arm64 only"
#endif

/* A function that replaces libc's. All others are hidden. */
#define REC_EXPORT __attribute__((visibility("default")))

struct rec_image {
	/*
	 * Not 0 if the region is served, in a page that every fork wipes: a child that was not
	 * set up by start/fork.c must know that all of this belongs to its parent. NULL before
	 * the start. Read without a lock.
	 */
	uint32_t *ready;
	/*
	 * The program restricts its system calls with seccomp. From then on its threads make no
	 * system call that the program did not ask for, as far as possible.
	 */
	bool filtered;
	uint64_t id;		/* random, from fltctl */
	int pid;
	int server_pid;
	struct flt_rec_config config;
	struct flt_ring_totals *totals;
	uint64_t *connected;	/* flt_ring_head.connected */
};
extern struct rec_image rec_image __attribute__((visibility("hidden")));

static inline bool rec_image_is_ready(void)
{
	const uint32_t *ready = rec_image.ready;

	return ready && __atomic_load_n(ready, __ATOMIC_ACQUIRE);
}

/* Allocate rec_image.ready, once. Return 0 or -errno. */
int rec_image_init(void);
/* Set whether the region is served. Call after rec_image_init(). */
void rec_image_set_ready(bool ready);

/* The number of the calling thread, for filtered images; 0 = not known. Not for the server. */
extern __thread uint32_t rec_image_tid
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline uint32_t rec_tid(void)
{
	return rec_image.filtered && rec_image_tid ? rec_image_tid : (uint32_t)sys0(SYS_gettid);
}

#define REC_SIGNALS_KEPT (1ULL << (SIGKILL - 1))	/* never in a mask of the kernel */

/*
 * Block all signals of the calling thread. A filtered image must not: a handler that maps memory
 * while its thread holds a lock would wait for ever, but the system call would kill the image.
 */
static inline uint64_t rec_block_signals(void)
{
	return rec_image.filtered ? REC_SIGNALS_KEPT : sys_block_signals();
}

static inline void rec_restore_signals(uint64_t old)
{
	if (!(old & REC_SIGNALS_KEPT))
		sys_restore_signals(old);
}

/* Make the server check all its descriptors now. */
static inline void rec_image_wake_server(void)
{
	sys2(SYS_kill, rec_image.server_pid, SIGIO);
}

#endif
