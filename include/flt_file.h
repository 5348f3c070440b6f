/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flt_file.h - the trace file `.flt`. fltctl record writes it; report, visualize, script and
 * other commands read it.
 *
 * Shape
 *   A file header, then chunks. Numbers are in the byte order of the machine that recorded.
 *   A reader of the other order sees a wrong FLT_FILE_MAGIC and refuses the file.
 *   Everything is aligned to 8 bytes. The file is only appended to. A complete recording ends
 *   with a record FLT_RECORD_END; an interrupted one may end anywhere.
 *
 * Chunks
 *   A chunk is a header of fixed size and `length` bytes of payload, padded with zeros to 8
 *   bytes. Header and payload have separate checksums. So a reader can search for the next
 *   header after damage, and can skip a damaged payload. Both are 64-bit XXH3, because a
 *   CRC would take more time than decompression. The checksums do not protect against
 *   forgery: a reader must check every size that it takes from the file.
 *
 *   FLT_CHUNK_RECORDS  a sequence of struct flt_record, each with its body and string
 *   FLT_CHUNK_STACKS   an array of struct flt_file_node
 *   FLT_CHUNK_FAULTS   an array of struct flt_file_fault
 *
 *   A writer encodes the payload in these steps:
 *   FLT_CHUNK_PLANES   arrays only: replace the first 8 bytes of each element (a time or an
 *                      address) by the difference from the previous element (from 0 for the
 *                      first), then store byte 0 of all elements, byte 1 of all elements
 *                      and so on
 *   FLT_CHUNK_ZSTD     compress to one zstd frame
 *   A reader refuses unknown flags.
 *
 * Order
 *   A chunk refers only to images, maps and stack nodes in earlier chunks. The faults in a
 *   chunk are in order of time; the chunks are not.
 *
 * Images
 *   An image is the address space of one process from fork or exec to the next exec or exit.
 *   Within an image an address has one meaning, except where maps change. Image numbers are
 *   unique in a file. PIDs are in the PID namespace of the recorder.
 *
 * Stacks
 *   Each image has a trie of frames. A node is a return address and the node of its caller.
 *   A fault contains the address of its instruction and the node of the innermost caller.
 *   Nodes and the ip of faults are resolved with the maps of the image that precede them
 *   in the file, or with later maps if no earlier one contains the address. So before a map
 *   that replaces executable memory, a writer flushes its pending nodes and faults.
 *
 * Loss
 *   Every chunk header contains the number of lost faults by cause, from the start of the
 *   recording to the end of the chunk. So a gap can be located to within one chunk.
 */
#ifndef FLT_FILE_H
#define FLT_FILE_H

#include <linux/types.h>

#include <linux/flt_event.h>

#define FLT_FILE_MAGIC 0x1a454c4946544c46ull	/* "FLTFILE\x1a" */
#define FLT_CHUNK_MAGIC 0x4b4e4843u		/* "CHNK" */
/* A reader refuses a different major version (the high 16 bits). */
#define FLT_FILE_VERSION 0x00010000

struct flt_file_header {
	__u64 magic;
	__u32 version;		/* FLT_FILE_VERSION */
	__u32 schema;		/* FLT_SCHEMA_VERSION; defines enum flt_kind */
	__u64 time;		/* CLOCK_REALTIME at creation, nanoseconds */
	__u64 clock;		/* CLOCK_MONOTONIC at the same moment; clock of all other times */
	__u64 reserved[3];
	__u64 checksum;		/* XXH3 of the preceding bytes */
};

enum flt_chunk_type {
	FLT_CHUNK_RECORDS = 1,
	FLT_CHUNK_STACKS,
	FLT_CHUNK_FAULTS,
	__FLT_CHUNK_LAST
};
#define FLT_CHUNK_LAST (__FLT_CHUNK_LAST - 1)

#define FLT_CHUNK_PLANES (1u << 0)
#define FLT_CHUNK_ZSTD (1u << 1)
#define __FLT_CHUNK_FLAGS_ALL 0x3u

/* Limit of flt_chunk.size and of flt_chunk.length. */
#define FLT_CHUNK_SIZE_MAX (8u << 20)

/* Causes of loss. Counts are faults unless stated otherwise. */
enum flt_file_loss {
	FLT_LOSS_BUFFER = 0,	/* a ring buffer of the kernel or the recorder was full */
	FLT_LOSS_THROTTLE,	/* number of periods in which the kernel throttled events */
	FLT_LOSS_STACK,		/* stack not recorded, because the table of stacks was full */
	FLT_LOSS_PROBE,		/* missed by the module's probe */
	FLT_LOSS_UNKNOWN,	/* process unknown to the recorder */
	FLT_LOSS_RECORD,	/* records about processes and maps, not faults */
	FLT_LOSS_RIGHTS,	/* programs with other rights than their caller, not faults */
	__FLT_LOSS_LAST
};
#define FLT_LOSS_MAX 8	/* size of flt_chunk.lost; unused elements are 0 */

struct flt_chunk {
	__u32 magic;		/* FLT_CHUNK_MAGIC */
	__u16 type;		/* enum flt_chunk_type */
	__u16 flags;		/* FLT_CHUNK_PLANES | FLT_CHUNK_ZSTD */
	__u32 length;		/* bytes of the encoded payload, without padding */
	__u32 size;		/* bytes of the decoded payload */
	__u32 count;		/* number of elements or records */
	__u32 cpu;		/* CPU or ring of the contents; ~0: several */
	__u32 tid;		/* thread of the contents; 0: several */
	__u32 reserved;
	__u64 sequence;		/* 0, 1, ...; a gap means that chunks are missing */
	__u64 first;		/* earliest and latest time in the chunk; 0: no times */
	__u64 last;
	__u64 lost[FLT_LOSS_MAX];	/* since the start, by enum flt_file_loss */
	__u64 body;		/* XXH3 of the `length` bytes after this header */
	__u64 checksum;		/* XXH3 of the preceding bytes of this header */
};

/* One fault; user/event/fault.h is the form in memory. Values unknown to the engine are 0. */
struct flt_file_fault {
	__u64 time;		/* start of the fault, CLOCK_MONOTONIC nanoseconds */
	__u64 address;		/* accessed address, or its page if only that is known */
	__u64 ip;		/* user instruction, or the one after the system call */
	__u32 image;		/* image of the accessed memory */
	__u32 tid;		/* thread that faulted */
	__u32 stack;		/* node of the caller in the trie of the image; 0: none */
	__u32 latency;		/* nanoseconds until resolved; ~0: too long for 32 bits */
	__u32 weight;		/* number of faults represented: 1, or more with sampling */
	__u32 pages;		/* number of pages that the fault mapped */
	__u32 flags;		/* FLT_FAULT_* */
	__u16 cpu;
	__u8 kind;		/* enum flt_kind */
	__u8 attempts;		/* 255: 255 or more */
};

#define FLT_FAULT_WRITE (1u << 0)
#define FLT_FAULT_EXEC (1u << 1)	/* instruction fetch */
#define FLT_FAULT_OP (1u << 2)		/* the access is known; neither WRITE nor EXEC: a read */
#define FLT_FAULT_ALLOC (1u << 3)	/* first touch of this page in this image */
#define FLT_FAULT_REFAULT (1u << 4)	/* the page had been evicted */
#define FLT_FAULT_MAJOR (1u << 5)
#define FLT_FAULT_FAILED (1u << 6)	/* ended with a signal or an error */
#define FLT_FAULT_KERNEL (1u << 7)	/* in kernel mode, during a system call */
#define FLT_FAULT_REMOTE (1u << 8)	/* memory of another process. With the engine module, */
					/* image is the image of tid */
#define FLT_FAULT_CUT_DEPTH (1u << 9)	/* stack truncated: deeper than the limit */
#define FLT_FAULT_CUT_UNWIND (1u << 10)	/* stack truncated: outermost frame could not be unwound */
#define FLT_FAULT_CUT_MEMORY (1u << 11)	/* stack truncated: stack memory could not be read */
#define FLT_FAULT_INLINE (1u << 12)	/* resolved by the faulting thread itself (recorder) */
#define FLT_FAULT_PAGE (1u << 13)	/* address is the address of the page */
#define __FLT_FAULT_FLAGS_ALL 0x3fffu

/* Limits: frames of a stack, nodes of an image, images of a file. */
#define FLT_STACK_DEPTH_MAX 2048
#define FLT_STACK_NODES_MAX (1u << 20)
#define FLT_IMAGES_MAX (1u << 20)

struct flt_file_node {
	__u64 address;
	__u32 id;		/* 1, 2, ... within an image */
	__u32 parent;		/* ID of the caller, less than id; 0: outermost frame */
	__u32 image;
	__u32 reserved;
};

enum flt_record_type {
	FLT_RECORD_INFO = 1,
	FLT_RECORD_IMAGE,
	FLT_RECORD_THREAD,
	FLT_RECORD_COMM,
	FLT_RECORD_EXIT,
	FLT_RECORD_MAP,
	FLT_RECORD_UNMAP,
	FLT_RECORD_STATS,
	FLT_RECORD_END,
	FLT_RECORD_CGROUP,
	FLT_RECORD_MOVE,
	__FLT_RECORD_LAST
};

/*
 * Header of every record. `size` is the size of header, body and string, and a multiple of 8.
 * Readers skip records of unknown types. The size of a body is fixed within a major version.
 * Strings are bytes as the kernel returned them and end with a NUL within `size`. They may
 * contain any other byte, so escape them before printing.
 */
struct flt_record {
	__u16 type;		/* enum flt_record_type */
	__u16 reserved;
	__u32 size;
	__u64 time;
	__u32 image;		/* 0: the whole recording */
	__u32 tid;		/* 0: the whole image */
};
#define FLT_RECORD_SIZE_MAX 65536u

/*
 * INFO: followed by "key=value". Keys: host, release, machine, version (of fltctl), engine
 * (perf, recorder, module), command (quoted for a shell), limit and memory (bytes, -L and -M),
 * period, stacks (fp, dwarf, unwind, none), policy, latency, bandwidth, kernel (yes or no: whether
 * faults in kernel mode are recorded), page_size and huge_page_size (bytes).
 * page_size is that of the machine that recorded, and the unit of all numbers of pages in the
 * file. A reader must not use the page size of its own machine. Write these two before the first
 * fault. Without them, pages have 4 KiB, and huge pages the size of a page table of 8-byte entries
 * (2 MiB).
 */

enum flt_image_cause {
	FLT_IMAGE_FOUND = 1,	/* was running when recording began */
	FLT_IMAGE_START,	/* the command given to fltctl record */
	FLT_IMAGE_FORK,		/* starts with the maps and pages of parent */
	FLT_IMAGE_EXEC,		/* parent is the previous image of the same process */
};

/* IMAGE: a new image. Its comm follows. */
struct flt_record_image {
	struct flt_record head;
	__u32 pid;
	__u32 ppid;
	__u32 parent;		/* image number; 0: unknown */
	__u32 cause;		/* enum flt_image_cause */
};

/*
 * THREAD: head.tid is a new thread of head.image. Its comm follows the header.
 * COMM: head.tid has a new comm, which follows the header.
 * CGROUP: the process of head.image is in the cgroup of which the path below the mount point of
 * cgroup2 follows. Without this record it is in the cgroup of the image's parent.
 * EXIT: the thread head.tid ended; head.tid 0: the whole process ended.
 */
struct flt_record_exit {
	struct flt_record head;
	__u32 status;		/* as returned by wait(2); ~0: unknown */
	__u32 reserved;
};

#define FLT_BUILD_ID_MAX 20

/*
 * MAP: [start, end) is now a mapping of `name`, which follows: an absolute path, empty, or
 * [anon], [heap], [stack], [vdso] and so on as in /proc/PID/maps. Earlier maps in the
 * range are replaced.
 */
struct flt_record_map {
	struct flt_record head;
	__u64 start;
	__u64 end;
	__u64 offset;		/* offset of start in the file */
	__u64 inode;		/* 0: unknown */
	__u32 device;		/* major << 20 | minor; 0: unknown */
	__u32 flags;		/* FLT_MAP_* */
	__u8 build_id_size;	/* 0: unknown */
	__u8 build_id[FLT_BUILD_ID_MAX];
	__u8 area;		/* enum flt_area + 1; 0: unknown, the name tells */
	__u8 reserved[2];
};
#define FLT_MAP_READ (1u << 0)
#define FLT_MAP_WRITE (1u << 1)
#define FLT_MAP_EXEC (1u << 2)
#define FLT_MAP_SHARED (1u << 3)
#define FLT_MAP_LIMITED (1u << 4)	/* covered by the recorder's memory limit */

/* UNMAP: nothing is mapped at [start, end) any longer. */
struct flt_record_unmap {
	struct flt_record head;
	__u64 start;
	__u64 end;
};

/*
 * MOVE: the pages of [start, end) are now at `to`, and what was mapped there is gone (mremap()).
 * Maps do not change.
 */
struct flt_record_move {
	struct flt_record head;
	__u64 start;
	__u64 end;
	__u64 to;
};

/*
 * STATS: written about once a second, for the whole recording. Counts are since the start of
 * the recording; gauges are current values. ~0: unknown to the engine.
 */
struct flt_record_stats {
	struct flt_record head;
	__u64 faults;		/* count of faults, weighted */
	__u64 majors;		/* count of major faults */
	__u64 allocs;		/* count of first touches */
	__u64 refaults;		/* count of faults on evicted pages */
	__u64 evictions;	/* count of evicted pages */
	__u64 resident;		/* gauge, bytes of limited memory resident */
	__u64 evicted;		/* gauge, bytes of limited memory evicted */
	__u64 limit;		/* gauge, bytes */
	__u64 rss;		/* gauge, RSS of all processes, bytes */
	__u64 unlimited;	/* gauge, resident bytes not covered by the limit */
};

/* END: the recording is complete. Totals: */
struct flt_record_end {
	struct flt_record head;
	__u64 produced;		/* faults seen by the engine, written or lost */
	__u64 faults;		/* FLT_CHUNK_FAULTS elements written */
	__u64 nodes;
	__u64 chunks;		/* chunks before this one */
	__u32 status;		/* of the command, as returned by wait(2); ~0: no command */
	__u32 reserved;
};

#endif
