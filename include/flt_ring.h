/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flt_ring.h - the protocol between a recorded process and fltctl.
 *
 * `fltctl record -L` preloads libfltrec.so into the command. Every process image (an exec, or
 * a fork that goes on running) connects to fltctl's socket. It gets its configuration and one
 * *ring*: a memfd that fltctl made, keeps mapped and drains. Records in a ring survive the
 * process, however it dies.
 *
 * Ring
 *   One struct flt_ring_head, padded to FLT_RING_DATA bytes, then slot_count slots of
 *   FLT_RING_SLOT bytes. head and tail count slots since the start and never wrap; slot i is
 *   at i & (slot_count - 1).
 *   Writers are the threads of the image and its fault server. They hold the image's pager
 *   lock, so fltctl sees a single writer.
 *   The writer stores head with release after the slots. fltctl stores tail with release
 *   after it has copied the slots. A full ring makes the writer wait (full_ns).
 *   No record is ever overwritten or dropped.
 *
 * Stacks
 *   A trie: each node is one frame (a return address) and its parent. Id 0 is the empty
 *   stack; the parent of an outermost frame is 0. Ids belong to one image and count up from
 *   1. The record of a node precedes the first fault that uses it. The stack of a fault is
 *   the id of its innermost *caller*: all nodes are return addresses, and the faulting
 *   instruction itself is the ip of the fault.
 *
 * Times are CLOCK_MONOTONIC in nanoseconds. Sizes are pages of this machine unless the name says
 * bytes.
 */
#ifndef FLT_RING_H
#define FLT_RING_H

#include <stdint.h>

#define FLT_RING_MAGIC   0x31676e6972746c66ULL	/* "fltring1" */
#define FLT_RING_VERSION 8
#define FLT_RING_SLOT    48
#define FLT_RING_DATA    4096	/* offset of the first slot, whatever the page size */

enum flt_ring_type {
	FLT_RING_FAULT = 1,	/* struct flt_ring_fault */
	FLT_RING_NODE,		/* struct flt_ring_node */
	FLT_RING_MAPS,		/* struct flt_ring_maps */
};

/* State of the page before the fault. */
enum flt_ring_kind {
	FLT_RING_ALLOC = 1,	/* never touched, or dropped: filled with zeros */
	FLT_RING_REFAULT,	/* evicted earlier: its content was brought back */
	FLT_RING_RACED,		/* present: another thread's fault was first */
};

#define FLT_RING_F_WRITE   0x01	/* a store, else a load */
#define FLT_RING_F_KERNEL  0x02	/* raised in a system call; ip is where the program entered
				 * the kernel, if it is known */
#define FLT_RING_F_INLINE  0x04	/* resolved on the faulting thread (path A) */
#define FLT_RING_F_DEPTH   0x08	/* stack truncated at max_stack frames, or at the outermost
				 * frame that has a node, because the image has too many */
#define FLT_RING_F_UNWIND  0x80	/* stack truncated at a frame that cannot be unwound */
#define FLT_RING_F_NOREGS  0x10	/* registers are not known: ip may be 0 */
#define FLT_RING_F_PAGE    0x20	/* address is that of the page, not of the byte */
#define FLT_RING_F_NOOP    0x40	/* it is not known whether it is a load or a store */

/* One fault. */
struct flt_ring_fault {
	uint8_t  type;		/* FLT_RING_FAULT */
	uint8_t  kind;		/* enum flt_ring_kind */
	uint8_t  flags;		/* FLT_RING_F_* */
	uint8_t  frames;	/* depth of the stack with ip, at most 255 */
	uint32_t tid;
	uint64_t time;		/* when the fault was first seen */
	uint64_t address;
	uint64_t ip;
	uint32_t stack;		/* node id, 0 = no callers known */
	uint32_t latency;	/* ns from time until the fault was resolved, saturated */
	uint32_t weight;	/* faults that this record represents (--sample), else 1 */
	uint16_t cpu;		/* 0xffff = not known */
	uint8_t  granted;	/* the kernel filled the page by itself: latency is not known, 0 */
	uint8_t  reserved;
};

/* One new node of the stack trie. */
struct flt_ring_node {
	uint8_t  type;		/* FLT_RING_NODE */
	uint8_t  reserved[3];
	uint32_t id;
	uint32_t parent;
	uint32_t reserved2;
	uint64_t address;
	uint64_t reserved3[3];
};

/* Objects were loaded or unloaded: before the next fault, read /proc/PID/maps again. */
struct flt_ring_maps {
	uint8_t  type;		/* FLT_RING_MAPS */
	uint8_t  reserved[47];
};

_Static_assert(sizeof(struct flt_ring_fault) == FLT_RING_SLOT, "slot size");
_Static_assert(sizeof(struct flt_ring_node) == FLT_RING_SLOT, "slot size");
_Static_assert(sizeof(struct flt_ring_maps) == FLT_RING_SLOT, "slot size");

/* Counts of one image's faults. They are exact, also with --sample. Nobody resets them. */
struct flt_ring_counts {
	uint64_t alloc;		/* faults by enum flt_ring_kind */
	uint64_t refault;
	uint64_t raced;
	/* Among alloc and refault: */
	uint64_t writes;	/* stores */
	uint64_t inline_faults;	/* resolved on the faulting thread */
	uint64_t kernel_faults;	/* raised in system calls */
	uint64_t placeless;	/* ip is not known */
	uint64_t granted;	/* filled by the kernel, without latency */
	uint64_t latency_ns;	/* sum of flt_ring_fault.latency of the others */
};

/*
 * Other totals of one image, kept by its pager. Nobody resets them. A reader may see some of
 * them a moment later than others.
 */
struct flt_ring_totals {
	uint64_t evicted;	/* pages moved out */
	uint64_t evict_calls;	/* ioctls for that */
	uint64_t evict_copies;	/* pages moved out by copying, without UFFDIO_MOVE */
	uint64_t evict_ns;
	uint64_t resident;	/* resident pages of the region, and their peak */
	uint64_t resident_peak;
	uint64_t shadow;	/* evicted pages */
	uint64_t used_peak;	/* peak of resident + shadow */
	uint64_t ejected;	/* pages taken out of the limit (mprotect, mlock...) */
	uint64_t plain_bytes;	/* mappings beyond M, which are not limited */
	uint64_t passed_bytes;	/* private anonymous mappings that are never limited */
	uint64_t full_ns;	/* waits for room in a full ring */
	uint64_t forks;		/* children that stayed limited, and those that did not */
	uint64_t forks_unlimited;
	uint64_t stacks_full;	/* stacks truncated because the image has too many nodes */
	/* Programs that cannot connect to fltctl: seccomp filter, network namespace. */
	uint64_t execs_unlimited;
	uint64_t rescued;	/* faults of threads in the recorder, which have no record */
};

/* Recent forks that can be marked: more than the children that a server waits for at a time. */
#define FLT_RING_FORKS 64
#define FLT_RING_FORK_REFUSED (1ull << 63)

struct flt_ring_head {
	uint64_t magic;
	uint32_t version;
	uint32_t slot_count;	/* a power of two */
	uint64_t reserved[6];
	/* written by the image */
	uint64_t head __attribute__((aligned(64)));
	/* written by fltctl */
	uint64_t tail __attribute__((aligned(64)));
	/*
	 * counts[head & 1] counts the faults of all records before head. The writer fills the other
	 * one before it stores head, so a process that is killed at any moment has counted the
	 * faults that it has recorded, and no others. Faults that --sample skips are added in
	 * place.
	 */
	struct flt_ring_counts counts[2] __attribute__((aligned(64)));
	struct flt_ring_totals totals __attribute__((aligned(64)));
	/*
	 * Written by forked children, read by the image's server: fork N has connected to fltctl if
	 * [N % FLT_RING_FORKS] is N, and will not if that is N | FLT_RING_FORK_REFUSED. Nobody
	 * resets them.
	 */
	uint64_t connected[FLT_RING_FORKS];
};
_Static_assert(sizeof(struct flt_ring_head) <= FLT_RING_DATA, "head size");

/*
 * Messages on the socket (SOCK_SEQPACKET, one connection per image, one struct per packet). The
 * environment variable FLT_RECORD_SOCKET is NAME:TOKEN:FILTERS: the abstract name, a secret, and
 * the number of seccomp filters of fltctl. A process with more filters must not connect. fltctl
 * hangs up on processes that do not descend from it and on messages without the token.
 *
 *   image  -> fltctl  HELLO         first packet; image != 0 for a fork
 *   fltctl -> image   CONFIG        + the ring's memfd; for a fork also its uffd
 *   server -> fltctl  READY         the fault server runs; pid is the server's
 *   fltctl -> server  RELEASE       hand over the forked child fork_seq
 *   server -> fltctl  RELEASED      + that child's uffd (none: the child runs unlimited)
 *   server -> fltctl  BYE           the image has ended; all records are in the ring
 *   server -> fltctl  FATAL         the image was killed; text gives the reason
 *   image  -> fltctl  REFUSED       the image runs unrecorded; text gives the reason. As the
 *                                   first packet: the program that process pid executes, or
 *                                   with pid 0 a program that is spawned, will run unrecorded
 *
 * The connection belongs to the fault server from READY on. If the connection closes without
 * BYE while the process lives, fltctl kills the process. If fltctl dies, the server kills the
 * process.
 */
enum flt_rec_message_type {
	FLT_REC_HELLO = 1,
	FLT_REC_CONFIG,
	FLT_REC_READY,
	FLT_REC_RELEASE,
	FLT_REC_RELEASED,
	FLT_REC_BYE,
	FLT_REC_FATAL,
	FLT_REC_REFUSED,
};

enum flt_rec_policy { FLT_REC_FIFO = 0, FLT_REC_CLOCK };

#define FLT_REC_NO_INLINE 0x1	/* serve every fault by path B */
#define FLT_REC_NO_MOVE   0x2	/* evict by copy, as on kernels before 6.8 */
#define FLT_REC_NO_STACK  0x4
#define FLT_REC_INLINED   0x8	/* an earlier image used path A, so the kernel suits it */
#define FLT_REC_NO_GRANTS 0x10	/* the kernel fills no page by itself */
#define FLT_REC_INLINE    0x20	/* use path A for an image with one thread, too */

/*
 * The region has twice M and some room, so that the allocator finds a place at once. An image
 * that may not have many addresses gets less room. Bytes.
 */
#define FLT_REC_ROOM         (1ull << 30)
#define FLT_REC_REGION_LEAST (4ull << 30)
#define FLT_REC_RESERVED     (64ull << 30)	/* for reservations of addresses */

enum flt_rec_room { FLT_REC_AMPLE = 0, FLT_REC_LITTLE, FLT_REC_LEAST, FLT_REC_ROOMS };

/* Return the pages of the region of an image. page: bytes of a page. */
static inline uint64_t flt_rec_region_pages(uint64_t max_pages, enum flt_rec_room room,
					    uint64_t page)
{
	uint64_t pages = max_pages * 2 + FLT_REC_ROOM / page;

	if (room != FLT_REC_LEAST && pages < FLT_REC_REGION_LEAST / page)
		pages = FLT_REC_REGION_LEAST / page;
	return room == FLT_REC_AMPLE ? pages + FLT_REC_RESERVED / page : pages;
}

#define FLT_REC_ALIGN  (2ull << 20)	/* of the region */
/* Stacks, extents, ring, tables of the heap, and a MiB per thread. About. */
#define FLT_REC_TABLES (256ull << 20)

/*
 * Return the bytes of addresses that the recorder takes in an image with a region of so many
 * pages: region, shadow and tables. The kernel counts them in RLIMIT_AS and RLIMIT_DATA.
 */
static inline uint64_t flt_rec_addresses(uint64_t pages, uint64_t page)
{
	uint64_t queue = 4;

	while (queue < 4 * pages)
		queue *= 2;
	return 2 * pages * page + FLT_REC_ALIGN + pages + queue + FLT_REC_TABLES;
}

struct flt_rec_config {
	uint64_t limit_pages;	/* L */
	uint64_t max_pages;	/* M */
	uint64_t latency_ns;	/* far memory, per page brought back */
	uint64_t bandwidth;	/* bytes/s, 0 = unlimited */
	uint32_t policy;	/* enum flt_rec_policy */
	uint32_t max_stack;	/* frames, with ip */
	uint32_t sample;	/* fault records per second, 0 = all */
	uint32_t flags;		/* FLT_REC_NO_*, FLT_REC_INLINED */
	uint32_t room;		/* enum flt_rec_room: the most to try */
	uint32_t reserved;
	/*
	 * By how much all finite limits in the kernel, RLIMIT_AS and RLIMIT_DATA, are larger than
	 * the program's own. Bytes; 0: they are the program's.
	 */
	uint64_t addresses;
};

#define FLT_REC_TOKEN 40	/* bytes, with NUL */

struct flt_rec_message {
	uint32_t type;
	uint32_t version;	/* FLT_RING_VERSION */
	int32_t  pid;		/* HELLO, REFUSED: the process; READY: its server */
	int32_t  reserved;
	char     token[FLT_REC_TOKEN];	/* from the environment, in all messages to fltctl */
	uint64_t image;		/* CONFIG: random id of the image. HELLO: id of the image that
				 * forked, else 0 */
	uint64_t fork_seq;	/* HELLO, RELEASE, RELEASED */
	uint64_t region;	/* READY: address of the limited region; the shadow follows it */
	uint64_t region_bytes;
	struct flt_rec_config config;
	char     text[128];
};

#endif
