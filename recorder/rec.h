/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rec.h - the recorder inside the recorded process: its state and its parts.
 *
 * Two kinds of code run here. *Threads* of the program, inside interposed
 * functions and, on path A, in the signal handler. The *fault server*, a process
 * that shares this memory but nothing else of the program: it has no libc
 * thread, so what it runs (server, inbox, child, pager, claim, move, evict, unwind, cfi, stack, sample, ring) makes
 * raw system calls only and never touches limited memory except through
 * /proc/self/mem, which fails where a load would fault.
 *
 * Memory. [lo, hi) is the *region*: everything the program gets from the heap
 * and from plain anonymous mmap. Page i of it lives at lo + i pages when
 * resident and at the same place + distance, in the *shadow*, when evicted.
 *
 * Locks, in this order; a thread holds them with all signals blocked:
 *   map   extents of the region: mmap, munmap and the like, and fork. Threads only.
 *   pager page states, queue, counters, stack trie, ring. Threads and server.
 *   unwind  caches of the unwinder; the server waits for it a moment at most.
 */
#ifndef FLT_REC_H
#define FLT_REC_H

#include "lock.h"

#include <flt_ring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define REC_PAGE 4096UL
#define REC_CHILDREN 16	/* forked children waiting to be taken over */

/* State of one page of the region, in its low bits. */
enum rec_page {
	REC_FREE = 0,		/* nobody's: never mapped by the program, or unmapped */
	REC_EMPTY,		/* never touched, or dropped: zeros */
	REC_RESIDENT,
	REC_SHADOW,		/* content is in the shadow */
	REC_PLAIN,		/* ejected: ordinary memory, no longer ours to move */
	REC_BARRED,		/* nobody's, and touched all the same: now that is a signal */
};
#define REC_STATE  0x0f
#define REC_QUEUED 0x10		/* stands in the eviction queue */
#define REC_AGAIN  0x20		/* came back from the shadow: CLOCK's second chance */
#define REC_KEPT   0x40		/* resident, and a copy stays in the shadow: fork under way */
#define REC_FRESH  0x80		/* came in while frozen (all KEPT did): stays until that ends */

/* A thread of the program, as far as its faults are concerned. */
struct rec_trace;
struct rec_thread {
	uint32_t tid;		/* 0 = free slot */
	bool watched;		/* counted in rec.watched */
	bool used;		/* was ever taken: the hash chain goes on here */
	void *perf;		/* mapped perf ring of its page faults, or NULL */
	uint64_t resolved;	/* its latest fault: samples before that tell of others, */
	uint64_t sample;	/* but this one tells of that fault, and if it goes on */
	uint64_t awake;		/* when it last was, for what we had heard of it before (path A) */
	uintptr_t stack_lo;	/* its stack, outside the region; 0, 0 = not known */
	uintptr_t stack_hi;
	/* path A; all NULL where the server does it */
	void *user_event, *kernel_event;	/* mappings that keep them alive */
	void *altstack;
	struct rec_trace *trace;
};
#define REC_THREADS 4096u	/* slots, open hash by tid; a power of two */

struct rec_child {
	int uffd;		/* -1 = free */
	uint64_t seq;
	uint64_t since;
	bool expected;		/* by fork(): it will ask for its uffd */
};

struct rec {
	int ready;		/* 1 = region is served */
	bool can_move;		/* UFFDIO_MOVE works here */
	bool dead;		/* target is being killed: answer nothing */
	int pid;
	int uffd;
	int memfd_self;		/* /proc/self/mem, for reads that must not fault */
	struct flt_rec_config cfg;

	uintptr_t lo, hi;
	uintptr_t distance;
	size_t npages;
	uint8_t *page;		/* by page of the region */
	uint32_t *queue;	/* eviction order; every page at most once */
	size_t queue_head, queue_tail, queue_mask;
	size_t resident, shadow;
	struct rec_lock pager, map, unwind;

	/* fork: from prepare until the child has its own server */
	bool frozen;		/* nothing leaves the shadow, nor what came in meanwhile */
	uint32_t thawed;	/* futex of those who wait for that to end */
	size_t fresh;		/* pages marked REC_FRESH */
	uintptr_t barrier;	/* a page whose fault the server answers in turn */
	uint32_t forking;	/* thread that holds the map lock for a fork, or 0 */
	uint64_t fork_seq;
	struct rec_child child[REC_CHILDREN];

	struct flt_ring_head *ring;
	uint32_t ring_full;	/* the pager lock's owner waits for room in it */
	struct flt_ring_totals *totals;
	struct rec_thread thread[REC_THREADS];

	/* far memory model: when the link is free again */
	uint64_t link_free;
	struct rec_sample {	/* --sample */
		uint64_t window;	/* when it began */
		uint64_t seen, before;	/* faults in it, and in the one before */
		uint32_t kept;		/* records in it */
		uint64_t random;
		struct rec_skipped {
			uint64_t count;	/* faults that no record stands for yet */
			uint32_t chance;
			struct flt_ring_fault latest;	/* of them */
		} kind[4];	/* by enum flt_ring_kind */
	} sample;

	bool inlined;		/* threads resolve their user-mode faults (path A) */
	int filter;		/* BPF program of their events */
	uint32_t watched;	/* threads that cannot: the server watches for all faults */
	bool maps_changed;	/* objects were looked up anew: tell fltctl */
	int server_pid;
	uint32_t server_up;	/* futex: the server runs, or gave up (2) */
	uint32_t futex_dummy;	/* no thread ever waits here */
};

extern struct rec rec __attribute__((visibility("hidden")));

static inline bool rec_in_region(const void *p)
{
	return (uintptr_t)p >= rec.lo && (uintptr_t)p < rec.hi;
}

static inline uint32_t rec_tid(void)
{
	return (uint32_t)sys0(SYS_gettid);
}

/* What is known of a fault when it is resolved. */
struct rec_fault {
	uint64_t time;
	uint64_t heard;		/* its thread slept in it then */
	uint64_t sample;	/* time of the sample that tells of it, 0 = none */
	uintptr_t address;
	uint64_t ip;
	uint32_t tid;
	uint32_t stack;		/* set by the pager from trace */
	const struct rec_trace *trace;	/* NULL = none */
	uint16_t cpu;
	uint8_t flags;		/* FLT_RING_F_* */
	uint8_t frames;
	bool late;		/* most likely done already: not worth a word then */
	bool far;		/* set by the pager: came from far memory, waiters not woken */
};

/* pager.c: page states. Callers hold the pager lock. */
enum rec_verdict {
	REC_DONE,		/* page is there, its waiters were woken */
	REC_LATER,		/* the kernel or a fork asks us to come again */
};
enum rec_verdict rec_pager_resolve(struct rec_fault *f);
/* Fill one page for the owner of the pager lock, which sleeps in this fault. */
void rec_pager_rescue(uintptr_t address);
/* claim.c: pages [first, end) become the program's; and nobody's, without content. */
void rec_pager_claim(size_t first, size_t end);
void rec_pager_disown(size_t first, size_t end);
/* The program touches a page that is nobody's. */
void rec_pager_bar(size_t page);
static inline bool rec_pager_free(size_t page)
{
	int state = rec.page[page] & REC_STATE;

	return state == REC_FREE || state == REC_BARRED;
}
/* Forget the content of pages [first, end): they will read as zeros. */
void rec_pager_discard(size_t first, size_t end);
/* Take pages [first, end) out of the limit, contents intact. -errno */
int rec_pager_eject(size_t first, size_t end);
/* Put pages [first, end), all REC_PLAIN and unmapped or free, under the limit again. */
int rec_pager_adopt(size_t first, size_t end);
/* After fork, in the child: page states from the page tables. */
int rec_pager_rebuild(void);
/* Give the process behind uffd every page that is not in its memory, and let go. */
void rec_pager_release_child(int uffd);
void rec_pager_wake(uintptr_t page);

/* evict.c: callers hold the pager lock. */
void rec_evict_room(size_t pages);
/* false: its page must wait, at most until the region has thawed. */
bool rec_evict_may_grow(const struct rec_fault *f);
void rec_evict_push(uint32_t page);
int rec_evict_unshare(uintptr_t address);

/*
 * move.c: pages by UFFDIO_MOVE. 0 when all have gone, else -errno of the first that has not;
 * *moved: how many have, in either case.
 */
int rec_move(uintptr_t to, uintptr_t from, size_t pages, uint64_t mode, size_t *moved);

/*
 * relocate.c: the content of pages [first, end) to others, which are EMPTY. Both locks. False:
 * some stayed where they were.
 */
bool rec_pager_relocate(size_t first, size_t end, size_t to);

/* sleep.c */
/* Does that thread of the program sleep in this kernel function, as it has since then? */
bool rec_sleep_in(uint32_t tid, const char *function, uint64_t since);
/* A thread of the program, not a process that shares its memory? */
bool rec_sleep_ours(uint32_t tid);

/* region.c: address ranges of the region; callers hold the map lock. Pages. */
int rec_region_init(size_t pages);
ssize_t rec_region_take(size_t pages, size_t align);
bool rec_region_take_at(size_t first, size_t pages);
void rec_region_give(size_t first, size_t pages);

/* ring.c: callers hold the pager lock. */
void rec_ring_fault(const struct rec_fault *f, uint8_t kind, uint64_t done);
void rec_ring_node(uint32_t id, uint32_t parent, uint64_t address);
void rec_ring_note(uint8_t type, uint32_t tid);
/* The image has ended: say what no record has stood for yet. */
void rec_ring_finish(void);

/* sample.c: 0 = leave this record out, else the number of faults it stands for. */
uint32_t rec_sample_weight(uint8_t kind, uint64_t now);
void rec_sample_reset(void);

/* stack.c: the trie. Callers hold the pager lock. */
int rec_stack_init(void);
uint32_t rec_stack_id(const uint64_t *frame, unsigned int count);

/* unwind.c */
struct rec_regs {
	uint64_t ip, sp, bp, bx, r12, r13, r14, r15;
};
/* Stack of a thread that sleeps in this fault, for the server, or of the caller if the
 * fault is FLT_RING_F_INLINE; sets f->frames and the cut flags. */
struct rec_trace {
	unsigned int count;
	uint64_t frame[512];	/* innermost first */
};
#define REC_TRACE_MAX 512u
void rec_unwind(struct rec_trace *out, struct rec_fault *f, const struct rec_regs *regs,
		const struct rec_thread *t);

/* probe.c: loads a word; in the server, false where it has gone. */
bool rec_probe_load(const void *from, uint64_t *word) __attribute__((visibility("hidden")));
void rec_probe_install(void);

/* cfi.c: how to get from one frame to its caller. Callers hold the unwind lock. */
struct rec_row {
	uint64_t ip;		/* looked up for this one; 0 = empty */
	uint64_t expression;	/* address of the CFA's expression, 0 = none */
	int32_t  cfa_offset;
	uint16_t expression_size;
	uint8_t  cfa_register;	/* DWARF number */
	uint8_t  kind;		/* enum rec_row_kind */
	uint8_t  by_bp;		/* bits: saved[i] counts from rbp, not from the CFA */
	int16_t  saved[6];	/* rbx rbp r12 r13 r14 r15, or REC_SAME */
	int16_t  return_offset;	/* from the CFA */
};
#define REC_SAME INT16_MIN
enum rec_row_kind { REC_ROW_NONE = 0, REC_ROW_CFA, REC_ROW_SIGNAL, REC_ROW_END };
const struct rec_row *rec_cfi_row(uint64_t ip);

/* module.c: objects in memory, from /proc/self/maps. Callers hold the unwind lock. */
struct rec_module {
	uint64_t start, end;	/* of the executable mapping */
	uint64_t eh_frame_hdr;	/* address, 0 = none */
	uint64_t eh_frame_hdr_end;
};
const struct rec_module *rec_module_find(uint64_t ip);
/* Reads memory of this image without ever faulting; false if it is not there. */
bool rec_module_read(uint64_t address, void *to, size_t n);

/* thread.c */
struct rec_thread *rec_thread_find(uint32_t tid);
void rec_thread_begin(uintptr_t stack_lo, uintptr_t stack_hi);
void rec_thread_enter(void);
void rec_thread_main(void);
void rec_thread_end(void);
void rec_thread_reset(void);
/* The registers of a thread that sleeps in a fault on `page`. */
bool rec_thread_regs(struct rec_thread *t, uintptr_t page, struct rec_regs *regs,
		     uint64_t *address, struct rec_fault *f);

/* The sample of the latest user-mode fault, if it was by the instruction at ip. */
bool rec_thread_last(struct rec_thread *t, uint64_t ip, struct rec_fault *f);

/* inline.c: path A. */
void rec_inline_setup(bool again);
bool rec_inline_arm(struct rec_thread *t);
void rec_inline_disarm(struct rec_thread *t);

/* insn.c */
bool rec_insn_stores(const uint8_t *code);

/* far.c: the far-memory model. */
static inline bool rec_far(void)
{
	return rec.cfg.latency_ns || rec.cfg.bandwidth;
}
/* That many pages were sent there. */
void rec_far_sent(size_t pages);
/* A thread that has filled its page waits for it to arrive; */
void rec_far_wait(uintptr_t page);
/* the server wakes those that wait for it when it has (all: now). */
void rec_far_reset(void);
void rec_far_wake_later(uintptr_t page);
void rec_far_wake_due(bool all);
/* Nanoseconds until the next one is due, less what a sleep is late; -1: none. */
long rec_far_next(void);

/* control.c: the socket to fltctl. */
int rec_control_connect(void);
int rec_control_send(int fd, const struct flt_rec_message *m, int pass);
/* Returns 1 and *pass (up to two descriptors, -1 = none), 0 if nothing is there, -errno. */
int rec_control_receive(int fd, struct flt_rec_message *m, int pass[2], bool wait);
/* That process, or with 0 one that is yet to be made, runs without us. */
void rec_control_refuse(int fd, int pid, const char *why);

/*
 * obstacle.c: what keeps us out of the program that a thread is about to become, or NULL, too, for
 * what exec will refuse. May run between vfork and exec and in signal handlers.
 */
struct rec_program {
	int dir, flags;		/* as execveat(2) has them */
	const char *path;
	char *const *env;
	bool by_shell;		/* what is in no known format is run all the same */
	bool closes;		/* no interpreter can open it: it is known by a descriptor that closes */
};
const char *rec_obstacle(const struct rec_program *p);

/* spawn.c */
int rec_server_start(int socket);
/* server.c */
void rec_server_stuck(void);
/* Make the server look at everything now. */
void rec_server_kick(void);

/* start.c */
void rec_start(void);
int rec_setup(int socket, int child_of, uint64_t seq);
/* fork.c */
void rec_fork_install(void);

#endif
