// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_filter.c - the programs, and the array map that is mapped here.
 *
 * Without a filter, a file fault that the kernel retries would find the signal of path A pending
 * each time and retry for ever.
 */
#include "page_filter.h"

#include "lib/core/region.h"
#include "lib/core/sys.h"
#include "recent.h"

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#define CLUSTERS 1024u	/* places in the table, a power of two */
#define MOST     40	/* instructions of a program */

struct program {
	struct bpf_insn code[MOST];
	unsigned int count;
};

static void add(struct program *p, uint8_t code, uint8_t to, uint8_t from, int16_t offset,
		int32_t value)
{
	p->code[p->count++] = (struct bpf_insn){ code, to & 15, from & 15, offset, value };
}

static void load_number(struct program *p, uint8_t to, uint64_t value)
{
	add(p, BPF_LD | BPF_IMM | BPF_DW, to, 0, 0, (int32_t)value);
	add(p, 0, 0, 0, 0, (int32_t)(value >> 32));
}

static void load_word(struct program *p, uint8_t to, uint8_t from, size_t offset)
{
	add(p, BPF_LDX | BPF_MEM | BPF_DW, to, from, (int16_t)offset, 0);
}

static void operate(struct program *p, uint8_t op, uint8_t to, int32_t value)
{
	add(p, BPF_ALU64 | op | BPF_K, to, 0, 0, value);
}

static void copy(struct program *p, uint8_t to, uint8_t from)
{
	add(p, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

static void answer(struct program *p, int32_t value)
{
	operate(p, BPF_MOV, 0, value);
	add(p, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Jump to the instruction `target` if the comparison of two registers holds. */
static void jump(struct program *p, uint8_t op, uint8_t a, uint8_t b, unsigned int target)
{
	add(p, BPF_JMP | op | BPF_X, a, b, (int16_t)(target - p->count - 1), 0);
}

/* The same with a number. The verifier knows a test for NULL by that. */
static void jump_if(struct program *p, uint8_t op, uint8_t a, int32_t value, unsigned int target)
{
	add(p, BPF_JMP | op | BPF_K, a, 0, (int16_t)(target - p->count - 1), value);
}

/* Load the fault's address into r6. Jump to `out` if it is outside of [lo, hi). */
static void check_range(struct program *p, uint64_t lo, uint64_t hi, unsigned int out)
{
	load_word(p, 6, 1, offsetof(struct bpf_perf_event_data, addr));
	load_number(p, 2, lo);
	jump(p, BPF_JLT, 6, 2, out);
	load_number(p, 2, hi);
	jump(p, BPF_JGE, 6, 2, out);
}

#define CHECKED 7	/* instructions of check_range() */

/*
 * Find the place of the fault's page. r0: the place, r1: the bit of the page. Jump to `out` for a
 * page outside of [lo, hi), and to `other` for a page that is not granted.
 */
static void find_page(struct program *p, int map, uint64_t lo, uint64_t hi, unsigned int out,
		      unsigned int other)
{
	check_range(p, lo, hi, out);
	operate(p, BPF_RSH, 6, __builtin_ctzl(FLT_PAGE));
	copy(p, 7, 6);
	operate(p, BPF_RSH, 7, __builtin_ctz(REC_CLUSTER));
	copy(p, 2, 7);
	operate(p, BPF_AND, 2, CLUSTERS - 1);
	add(p, BPF_STX | BPF_MEM | BPF_W, 10, 2, -4, 0);
	copy(p, 2, 10);
	operate(p, BPF_ADD, 2, -4);
	add(p, BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map);
	add(p, 0, 0, 0, 0, 0);
	add(p, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem);
	jump_if(p, BPF_JEQ, 0, 0, other);
	load_word(p, 1, 0, offsetof(struct rec_page_cluster, number));
	jump(p, BPF_JNE, 1, 7, other);
	operate(p, BPF_AND, 6, REC_CLUSTER - 1);
	operate(p, BPF_MOV, 1, 1);
	add(p, BPF_ALU64 | BPF_LSH | BPF_X, 1, 6, 0, 0);
	load_word(p, 2, 0, offsetof(struct rec_page_cluster, granted));
	add(p, BPF_ALU64 | BPF_AND | BPF_X, 2, 1, 0, 0);
	jump_if(p, BPF_JEQ, 2, 0, other);
}

#define FOUND 27	/* instructions of find_page() */

static struct program write_faults(int map, uint64_t lo, uint64_t hi)
{
	struct program p = { .count = 0 };

	find_page(&p, map, lo, hi, FOUND, FOUND + 2);
	answer(&p, 0);
	answer(&p, 1);
	return p;
}

static struct program write_touches(int map, uint64_t lo, uint64_t hi)
{
	struct program p = { .count = 0 };

	find_page(&p, map, lo, hi, FOUND + 6, FOUND + 6);
	copy(&p, 2, 1);
	/* r1 = old value */
	add(&p, BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, offsetof(struct rec_page_cluster, touched),
	    BPF_OR | BPF_FETCH);
	add(&p, BPF_ALU64 | BPF_AND | BPF_X, 1, 2, 0, 0);
	jump_if(&p, BPF_JNE, 1, 0, FOUND + 6);
	answer(&p, 1);
	answer(&p, 0);
	return p;
}

static int load(const struct program *p)
{
	static const char license[] = "GPL";
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	a.insns = (uintptr_t)p->code;
	a.insn_cnt = p->count;
	a.license = (uintptr_t)license;
	return (int)sys3(SYS_bpf, BPF_PROG_LOAD, &a, sizeof(a));
}

int rec_page_filter_load_range(uint64_t lo, uint64_t hi)
{
	struct program p = { .count = 0 };

	check_range(&p, lo, hi, CHECKED + 2);
	answer(&p, 1);
	answer(&p, 0);
	return load(&p);
}

static int make_map(void)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY;
	a.key_size = 4;
	a.value_size = sizeof(struct rec_page_cluster);
	a.max_entries = CLUSTERS;
	a.map_flags = BPF_F_MMAPABLE;
	return (int)sys3(SYS_bpf, BPF_MAP_CREATE, &a, sizeof(a));
}

static size_t table_bytes(void)
{
	return (CLUSTERS * sizeof(struct rec_page_cluster) + FLT_PAGE - 1) & ~(FLT_PAGE - 1);
}

int rec_page_filter_load(struct rec_page_filter *f, uint64_t lo, uint64_t hi)
{
	struct program p;
	int map = make_map(), ret;
	void *m;

	f->table = NULL;
	f->faults = f->touches = -1;
	if (map < 0)
		return map;
	m = sys_mmap(NULL, table_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	ret = sys_failed((long)m) ? (int)(long)m : 0;
	if (!ret) {
		p = write_faults(map, lo, hi);
		ret = f->faults = load(&p);
	}
	if (ret >= 0) {
		p = write_touches(map, lo, hi);
		ret = f->touches = load(&p);
	}
	/* The programs and the mapping keep the map. */
	sys1(SYS_close, map);
	if (ret >= 0) {
		/* A forked child has a table of its own, or none. */
		sys3(SYS_madvise, m, table_bytes(), MADV_DONTFORK);
		f->table = m;
		return 0;
	}
	if (f->faults >= 0)
		sys1(SYS_close, f->faults);
	if (!sys_failed((long)m))
		sys2(SYS_munmap, m, table_bytes());
	return ret;
}

struct rec_page_cluster *rec_page_filter_cluster(const struct rec_page_filter *f, uint64_t number)
{
	return &f->table[number & (CLUSTERS - 1)];
}
