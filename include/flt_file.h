/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flt_file.h - the trace file `.flt`: what fltctl record writes and report,
 * visualize and script read.
 *
 * Shape. A file header, then chunks, nothing else. All numbers are in the byte
 * order of the machine that recorded; a reader of the other order sees a wrong
 * FLT_FILE_MAGIC and refuses. Everything is aligned to 8 bytes. The file is
 * only ever appended to; it ends with a record FLT_RECORD_END when the
 * recording was finished, and anywhere when it was not.
 *
 * Chunks. A header of fixed size and `length` bytes of payload, padded with
 * zeros to 8 bytes. The header carries its own checksum, so that a reader can
 * search for the next chunk behind damage and step over a damaged payload; the
 * payload has another. Both are XXH3 (64 bits): damage is found at the speed of
 * memory, where a CRC would cost more than decompression. Neither defends
 * against forgery: a reader bounds every size it takes from the file.
 *
 *   FLT_CHUNK_RECORDS  a sequence of struct flt_record with what follows each
 *   FLT_CHUNK_STACKS   an array of struct flt_file_node
 *   FLT_CHUNK_FAULTS   an array of struct flt_file_fault
 *
 * Payload coding, in this order on the way in:
 *   FLT_CHUNK_PLANES   arrays only: the first 8 bytes of each element (a time or
 *                      an address) are replaced by their difference from those
 *                      of the element before (from 0 for the first), then byte k
 *                      of every element is stored together, k = 0, 1, ...
 *   FLT_CHUNK_ZSTD     one zstd frame
 * A reader refuses a flag it does not know.
 *
 * Order. A chunk may name only images, maps and stack nodes that earlier chunks
 * brought. Faults are in order of time within a chunk, not between chunks.
 *
 * Images. An image is the memory of one process from fork or exec to the next
 * exec or the end: what the same addresses mean the same thing in. Its number is
 * never used twice in a file. PIDs are in the PID namespace of the recorder.
 *
 * Stacks. A trie for each image: a node is a return address and the node of
 * its caller; a fault has the instruction's own address and names the innermost
 * caller. Each distinct frame in a context is stored once. Nodes, and the ip of
 * faults, are resolved against the maps of their image that come before them in
 * the file (later ones only if none fits), so a writer writes pending nodes and
 * faults before a map that replaces executable memory.
 *
 * Loss. Every chunk header carries what was lost from the beginning up to the
 * end of this chunk, by cause: the place of a gap is known to within a chunk.
 */
#ifndef FLT_FILE_H
#define FLT_FILE_H

#include <linux/types.h>

#include <linux/flt_event.h>

#define FLT_FILE_MAGIC 0x1a454c4946544c46ull	/* "FLTFILE\x1a" */
#define FLT_CHUNK_MAGIC 0x4b4e4843u		/* "CHNK" */
/* A reader refuses another major (the high 16 bits). */
#define FLT_FILE_VERSION 0x00010000

struct flt_file_header {
	__u64 magic;
	__u32 version;		/* FLT_FILE_VERSION */
	__u32 schema;		/* FLT_SCHEMA_VERSION: kinds */
	__u64 time;		/* CLOCK_REALTIME at opening, nanoseconds */
	__u64 clock;		/* CLOCK_MONOTONIC at the same moment: all other times are this clock */
	__u64 reserved[3];
	__u64 checksum;		/* XXH3 of the bytes before */
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

/* Bound of flt_chunk.size, and of flt_chunk.length. */
#define FLT_CHUNK_SIZE_MAX (8u << 20)

/* Causes of loss; a row is a count of faults unless said otherwise. */
enum flt_file_loss {
	FLT_LOSS_BUFFER = 0,	/* the kernel's or the recorder's ring was full */
	FLT_LOSS_THROTTLE,	/* periods in which the kernel held events back; faults unknown */
	FLT_LOSS_STACK,		/* fault kept, its stack not: table of stacks full */
	FLT_LOSS_PROBE,		/* the module's probe missed the fault */
	FLT_LOSS_UNKNOWN,	/* of a process the recorder knew nothing about */
	FLT_LOSS_RECORD,	/* records of processes and maps, not faults */
	__FLT_LOSS_LAST
};
#define FLT_LOSS_MAX 8	/* room in the chunk header; unused ones are 0 */

struct flt_chunk {
	__u32 magic;		/* FLT_CHUNK_MAGIC */
	__u16 type;		/* enum flt_chunk_type */
	__u16 flags;		/* FLT_CHUNK_PLANES | FLT_CHUNK_ZSTD */
	__u32 length;		/* bytes of payload in the file, without padding */
	__u32 size;		/* bytes of payload decoded */
	__u32 count;		/* elements or records in it */
	__u32 cpu;		/* CPU or ring it was filled from; ~0 if several */
	__u32 tid;		/* thread it was filled by; 0 if several */
	__u32 reserved;
	__u64 sequence;		/* 0, 1, ...: a gap is a lost chunk */
	__u64 first;		/* earliest and latest time in it; 0 if it has none */
	__u64 last;
	__u64 lost[FLT_LOSS_MAX];	/* cumulative, by enum flt_file_loss */
	__u64 body;		/* XXH3 of the `length` bytes after this header */
	__u64 checksum;		/* XXH3 of this header before here */
};

/* One fault, as user/event/fault.h has it in memory. Numbers that the engine could not know are 0. */
struct flt_file_fault {
	__u64 time;		/* when it began, CLOCK_MONOTONIC nanoseconds */
	__u64 address;		/* as accessed; its page when the engine sees no more */
	__u64 ip;		/* of the instruction in user space, or behind the system call */
	__u32 image;		/* whose memory */
	__u32 tid;		/* who ran */
	__u32 stack;		/* node of the caller, in the trie of `image`; 0: none */
	__u32 latency;		/* nanoseconds until resolved, ~0 if more than that */
	__u32 weight;		/* faults this one stands for: 1, or more when sampling */
	__u32 pages;		/* pages this fault brought in */
	__u32 flags;		/* FLT_FAULT_* */
	__u16 cpu;
	__u8 kind;		/* enum flt_kind */
	__u8 attempts;		/* 255: or more */
};

#define FLT_FAULT_WRITE (1u << 0)
#define FLT_FAULT_EXEC (1u << 1)	/* instruction fetch */
#define FLT_FAULT_OP (1u << 2)		/* WRITE and EXEC are known; neither: a read */
#define FLT_FAULT_ALLOC (1u << 3)	/* first touch of this page in this image */
#define FLT_FAULT_REFAULT (1u << 4)	/* page was there before and was evicted */
#define FLT_FAULT_MAJOR (1u << 5)
#define FLT_FAULT_FAILED (1u << 6)	/* ended in a signal or an error */
#define FLT_FAULT_KERNEL (1u << 7)	/* raised in kernel mode, by a system call */
#define FLT_FAULT_REMOTE (1u << 8)	/*
				 * tid is not a thread of the process whose memory it is;
				 * by the module, image is the one of tid
				 */
#define FLT_FAULT_CUT_DEPTH (1u << 9)	/* stack cut: deeper than the bound */
#define FLT_FAULT_CUT_UNWIND (1u << 10)	/* stack cut: no way past its last frame */
#define FLT_FAULT_CUT_MEMORY (1u << 11)	/* stack cut: stack memory not to be read */
#define FLT_FAULT_INLINE (1u << 12)	/* resolved on the faulting thread */
#define FLT_FAULT_PAGE (1u << 13)	/* address is that of the page */
#define __FLT_FAULT_FLAGS_ALL 0x3fffu

/* Deepest stack in a file, and most nodes of one image and most images of a file. */
#define FLT_STACK_DEPTH_MAX 2048
#define FLT_STACK_NODES_MAX (1u << 20)
#define FLT_IMAGES_MAX (1u << 20)

struct flt_file_node {
	__u64 address;
	__u32 id;		/* from 1, rising by 1 within an image */
	__u32 parent;		/* the caller's id, less than id; 0: outermost */
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
	__FLT_RECORD_LAST
};

/*
 * Head of every record. `size` counts head, body and trailing string, and is a
 * multiple of 8; a record of an unknown type is skipped; a body keeps its size
 * within a major version. Strings are bytes as the kernel had them, end with a
 * NUL inside `size`, and may hold anything else: escape before printing.
 */
struct flt_record {
	__u16 type;		/* enum flt_record_type */
	__u16 reserved;
	__u32 size;
	__u64 time;
	__u32 image;		/* 0: of the whole recording */
	__u32 tid;		/* 0: of the whole image */
};
#define FLT_RECORD_SIZE_MAX 65536u

/*
 * INFO: "key=value" follows. Keys: host, release, machine, version (of fltctl),
 * engine (perf, recorder, module), command (arguments as a shell would take
 * them), page_size, limit and memory (bytes, -L and -M), period, stacks
 * (fp, dwarf, unwind, none), policy, latency, bandwidth, kernel (yes, no: faults in
 * kernel mode seen).
 */

enum flt_image_cause {
	FLT_IMAGE_FOUND = 1,	/* ran when recording began */
	FLT_IMAGE_START,	/* the command itself */
	FLT_IMAGE_FORK,		/* maps, and pages, are those of parent so far */
	FLT_IMAGE_EXEC,		/* parent is the image this process had before */
};

/* IMAGE: a new image; its comm follows. */
struct flt_record_image {
	struct flt_record head;
	__u32 pid;
	__u32 ppid;
	__u32 parent;		/* image, 0 if unknown */
	__u32 cause;		/* enum flt_image_cause */
};

/*
 * THREAD: head.tid is a new thread of head.image; its comm follows the head.
 * COMM: head.tid has a new comm, which follows the head.
 * EXIT: head.tid ended; head.tid 0: the whole process.
 */
struct flt_record_exit {
	struct flt_record head;
	__u32 status;		/* as wait(2) gives it; ~0 if unknown */
	__u32 reserved;
};

#define FLT_BUILD_ID_MAX 20

/*
 * MAP: [start, end) now maps `name`, which follows: an absolute path, or empty
 * or [anon], [heap], [stack], [vdso] and so on as in /proc/PID/maps. Replaces
 * what was there.
 */
struct flt_record_map {
	struct flt_record head;
	__u64 start;
	__u64 end;
	__u64 offset;		/* in the file */
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
#define FLT_MAP_LIMITED (1u << 4)	/* under the recorder's limit */

/* UNMAP: nothing is mapped at [start, end) any more. */
struct flt_record_unmap {
	struct flt_record head;
	__u64 start;
	__u64 end;
};

/*
 * STATS: about once a second, for the recording as a whole. Counts are from the
 * beginning; gauges are of now. ~0: this engine does not know.
 */
struct flt_record_stats {
	struct flt_record head;
	__u64 faults;		/* count, by weight */
	__u64 majors;		/* count */
	__u64 allocs;		/* count: first touches */
	__u64 refaults;		/* count */
	__u64 evictions;	/* count, pages */
	__u64 resident;		/* gauge, bytes of limited memory resident */
	__u64 evicted;		/* gauge, bytes of limited memory evicted */
	__u64 limit;		/* gauge, bytes */
	__u64 rss;		/* gauge, bytes of all processes together */
	__u64 unlimited;	/* gauge, bytes resident that the limit does not cover */
};

/* END: the recording was finished, and holds this. */
struct flt_record_end {
	struct flt_record head;
	__u64 produced;		/* faults seen by the engine: written plus lost */
	__u64 faults;		/* FLT_CHUNK_FAULTS elements written */
	__u64 nodes;
	__u64 chunks;		/* before this one */
	__u32 status;		/* of the command, as wait(2) gives it; ~0: none */
	__u32 reserved;
};

#endif
