// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread.c - what is known of each thread: where its stack is and, in a small
 * perf ring, the registers of its latest page fault.
 *
 * The kernel writes the sample before it puts the thread to sleep in the
 * userfaultfd, so the server finds the registers of every fault it is told of
 * there, without stopping or signalling anybody. The ring is mapped read-only,
 * which makes the kernel overwrite it for ever; all samples have one size, so
 * the last one ends at data_head. Its descriptor is closed at once: the mapping
 * keeps it alive, goes with the thread's memory, and is not copied by fork.
 */
#include "rec.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* x86 numbers of bx, bp, sp, ip, r12-r15, in the order in which samples have them */
#define REGS ((1ULL << 1) | (1ULL << 6) | (1ULL << 7) | (1ULL << 8) | (0xfULL << 20))

struct sample {
	struct perf_event_header header;
	uint64_t ip, time, address;
	uint32_t cpu, reserved;
	uint64_t abi;		/* of the registers; none follow 0 */
	uint64_t bx, bp, sp, uip, r12, r13, r14, r15;
};

#define RING_BYTES (2 * REC_PAGE)

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static struct rec_thread *slot(uint32_t tid, bool take)
{
	uint32_t h = tid * 2654435761u;

	for (uint32_t i = 0; i < REC_THREADS; i++) {
		struct rec_thread *t = &rec.thread[(h + i) & (REC_THREADS - 1)];
		uint32_t seen = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE), free = 0;

		if (seen == tid)
			return t;
		if (!seen && !take && !t->used)
			return NULL;	/* never used: the chain ends here */
		if (!seen && take &&
		    __atomic_compare_exchange_n(&t->tid, &free, tid, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			t->used = true;
			return t;
		}
	}
	return NULL;
}

struct rec_thread *rec_thread_find(uint32_t tid)
{
	return slot(tid, false);
}

static void *open_ring(void)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof a,
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = REGS, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.remove_on_exec = 1,
	};
	void *m = NULL;
	long fd;

	fd = sys5(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		/* without the right to see the kernel's: registers of user-mode faults */
		a.exclude_kernel = 1;
		fd = sys5(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return NULL;
	m = sys_mmap(NULL, RING_BYTES, PROT_READ, MAP_SHARED, (int)fd, 0);
	sys1(SYS_close, fd);
	return sys_failed((long)m) ? NULL : m;
}

/* Last of all: the heap has its own ends to tie up, and faults in it. */
static void end(void *round)
{
	uintptr_t n = (uintptr_t)round;

	if (n < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(key, (void *)(n + 1)))
		return;
	rec_thread_end();
}

static void make_key(void)
{
	if (pthread_key_create(&key, end))
		key = (pthread_key_t)-1;
}

/* Called by the thread itself. */
void rec_thread_begin(uintptr_t stack_lo, uintptr_t stack_hi)
{
	struct rec_thread *t = slot(rec_tid(), true);
	bool served;

	if (!t)
		return;
	if (t->perf)
		sys2(SYS_munmap, t->perf, RING_BYTES);
	t->stack_lo = stack_lo;
	t->stack_hi = stack_hi;
	served = rec.inlined && rec_inline_arm(t);
	/*
	 * Last, for of a thread's events perf asks the youngest first: a fault's time is to be
	 * from before the signal, which may cost more than all the rest.
	 */
	t->perf = open_ring();
	if (rec.inlined && (!served || !t->perf)) {
		if (served)
			rec_inline_disarm(t);
		t->watched = true;
		__atomic_fetch_add(&rec.watched, 1, __ATOMIC_RELAXED);
		rec_server_kick();
	}
}

/* A thread made by pthread_create: undone at its end, however it ends. */
void rec_thread_enter(void)
{
	struct rec_thread *t;
	pthread_attr_t a;
	void *lo = NULL;
	size_t size = 0;

	/* first, for what follows may take memory */
	rec_thread_begin(0, 0);
	if (!pthread_getattr_np(pthread_self(), &a)) {
		pthread_attr_getstack(&a, &lo, &size);
		pthread_attr_destroy(&a);
	}
	t = slot(rec_tid(), false);
	/* in the region it may be evicted: not to be read directly */
	if (t && size && !rec_in_region(lo)) {
		t->stack_lo = (uintptr_t)lo;
		t->stack_hi = (uintptr_t)lo + size;
	}
	pthread_once(&key_once, make_key);
	if (key != (pthread_key_t)-1)
		pthread_setspecific(key, (void *)1);
}

extern void *__libc_stack_end;

/* The main thread, or what is the main thread after fork. */
void rec_thread_main(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t hi = (uintptr_t)__libc_stack_end;

	/* the kernel's own stack grows down from there; a fork may run elsewhere */
	if (here < hi && hi - here < (64UL << 20))
		rec_thread_begin(hi - (64UL << 20), hi);
	else
		rec_thread_begin(0, 0);
}

void rec_thread_end(void)
{
	struct rec_thread *t = slot(rec_tid(), false);
	void *perf;

	if (!t)
		return;
	rec_inline_disarm(t);
	if (t->watched)
		__atomic_fetch_sub(&rec.watched, 1, __ATOMIC_RELAXED);
	t->watched = false;
	perf = t->perf;
	t->perf = NULL;
	__atomic_store_n(&t->tid, 0, __ATOMIC_RELEASE);
	if (perf)
		sys2(SYS_munmap, perf, RING_BYTES);
}

/* In a forked child: its rings were not copied, its threads do not exist. */
void rec_thread_reset(void)
{
	memset(rec.thread, 0, sizeof rec.thread);
}

/* The thread, and this mapping with it, may be gone when the server looks. */
static bool read_head(const struct perf_event_mmap_page *p, uint64_t *head)
{
	uint64_t h;

	if (!p || !rec_probe_load((const char *)p + offsetof(struct perf_event_mmap_page, data_head), &h))
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	*head = h;
	return true;
}

/* The sample that ends at `end`, or false if what is there is none of ours. */
static bool read_sample(const struct perf_event_mmap_page *p, uint64_t end, struct sample *s)
{
	const char *data = (const char *)p + REC_PAGE;
	uint64_t from = end - sizeof(*s), word;

	if (end < sizeof(*s))
		return false;
	for (size_t i = 0; i < sizeof(*s); i += sizeof(word)) {
		if (!rec_probe_load(data + (from + i) % REC_PAGE, &word))
			return false;
		memcpy((char *)s + i, &word, sizeof(word));
	}
	return s->header.type == PERF_RECORD_SAMPLE && s->header.size == sizeof(*s) && s->abi;
}

/* Samples back from the latest that are worth a look: signal frames fault, too. */
#define BACK 8

bool rec_thread_last(struct rec_thread *t, uint64_t ip, struct rec_fault *f)
{
	const struct perf_event_mmap_page *p = t->perf;
	struct sample s;
	uint64_t head;

	if (!read_head(p, &head))
		return false;
	for (unsigned int k = 0; k < BACK; k++) {
		if (head < k * sizeof(s) || !read_sample(p, head - k * sizeof(s), &s))
			return false;
		if (s.address < rec.lo || s.address >= rec.hi ||
		    (s.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
			continue;
		if (s.uip != ip || s.time < t->resolved)
			return false;
		f->address = s.address;
		f->ip = s.uip;
		f->cpu = (uint16_t)s.cpu;
		if (s.time && s.time < f->time)
			f->time = s.time;
		return true;
	}
	return false;
}

bool rec_thread_regs(struct rec_thread *t, uintptr_t page, struct rec_regs *regs,
		     uint64_t *address, struct rec_fault *f)
{
	const struct perf_event_mmap_page *p = t ? t->perf : NULL;
	struct sample s;
	uint64_t head;

	if (!read_head(p, &head))
		return false;
	for (unsigned int k = 0; ; k++) {
		if (k == BACK || head < k * sizeof(s) ||
		    !read_sample(p, head - k * sizeof(s), &s))
			return false;
		/*
		 * The latest one again: its page went before the thread was awake, and the
		 * exception goes on.
		 */
		if (s.time < t->resolved && !(k == 0 && s.time == t->sample))
			return false;
		if ((s.address & ~(REC_PAGE - 1)) == page)
			break;
	}
	*address = s.address;
	*regs = (struct rec_regs){ .ip = s.uip, .sp = s.sp, .bp = s.bp, .bx = s.bx,
				   .r12 = s.r12, .r13 = s.r13, .r14 = s.r14, .r15 = s.r15 };
	if (s.time && s.time < f->time && s.time >= t->resolved)
		f->time = s.time;
	f->sample = s.time;
	f->cpu = (uint16_t)s.cpu;
	f->ip = s.uip;
	if ((s.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		f->flags |= FLT_RING_F_KERNEL;
	return true;
}
