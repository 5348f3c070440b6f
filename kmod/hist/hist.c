// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include "account/retired.h"
#include "account/waits.h"
#include "hist/causes.h"
#include "hist/hist.h"
#include "mm/cgroup.h"
#include "mm/pidns.h"
#include "stream/budget.h"

struct counts {
	u64 sum, max;			/* ns */
	u64 bucket[FLT_BUCKETS];
};

/* The counts of one CPU. */
struct hist_cpu {
	struct counts kind[2][__FLT_KIND_MAX];	/* [major][kind] */
	/* NONE: faults that ended well and returned something, as in tally.h. */
	struct counts returned[__FLT_RETURN_MAX];
	struct counts proc[];		/* by slot; 0: processes without a slot */
};

struct hist {
	const struct flt_pidns *reader;
	u64 cgroup, size;
	bool by_thread;			/* wants() must check current */
	struct flt_causes *causes;	/* NULL: none */
	u32 procs;			/* slots; 0: only causes, so that the rest is not used */
	u32 bits;
	atomic_t used;			/* slots taken */
	atomic64_t *key;		/* hash: flt_proc.id << SLOT_BITS | slot; 0: free */
	struct hist_cpu *cpu[];		/* by CPU */
};

#define SLOT_BITS 12

DEFINE_STATIC_KEY_FALSE(flt_hist_on);
/* By bit. Not NULL while the bit is set in flt_hist_all or flt_hist_own. */
static struct hist __rcu *hists[FLT_ROW_SESSIONS];
u32 flt_hist_all, flt_hist_own;
struct flt_causes __rcu *flt_hist_sole_causes;

static void free_hist(struct hist *h)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(h->cpu[cpu]);
	kvfree(h->key);
	flt_causes_free(h->causes);
	flt_budget_give(h->size);
	kfree(h);
}

static int allocate_counts(struct hist *h, size_t bytes)
{
	int cpu;

	h->key = kvcalloc(1ul << h->bits, sizeof(*h->key), GFP_KERNEL);
	if (!h->key)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		h->cpu[cpu] = kvzalloc_node(bytes, GFP_KERNEL, cpu_to_node(cpu));
		if (!h->cpu[cpu])
			return -ENOMEM;
	}
	return 0;
}

static int allocate(struct hist *h, bool causes)
{
	size_t bytes = struct_size(h->cpu[0], proc, h->procs + 1), size = 0;

	if (h->procs) {
		/* A quarter of the hash is in use at most, so that searches are short. */
		h->bits = ilog2(roundup_pow_of_two(h->procs)) + 2;
		size = bytes * num_possible_cpus() + (sizeof(*h->key) << h->bits);
	}
	if (causes)
		size += flt_causes_size();
	if (!flt_budget_fits(size))
		return -EDQUOT;
	h->size = size;
	flt_budget_take(size);
	if (causes) {
		h->causes = flt_causes_new(h->reader);
		if (!h->causes)
			return -ENOMEM;
	}
	return h->procs ? allocate_counts(h, bytes) : 0;
}

/* Return histograms or NULL. The session does not close meanwhile. */
static struct hist *hist_at(u32 bit)
{
	return rcu_dereference_protected(hists[bit], true);
}

/*
 * Set flt_hist_sole_causes. Call after a change of the masks. A handler reads the pointer once, and
 * the masks only if it is NULL. So while sessions come and go, no session counts a fault twice.
 */
static void set_sole_causes(void)
{
	u32 all = flt_hist_all;
	const struct hist *h = is_power_of_2(all) && !flt_hist_own ? hist_at(__ffs(all)) : NULL;

	rcu_assign_pointer(flt_hist_sole_causes,
			   h && !h->procs && !h->by_thread ? h->causes : NULL);
}

int flt_hist_open(u32 bit, const struct flt_hist_config *config)
{
	struct hist *h = kzalloc(struct_size(h, cpu, nr_cpu_ids), GFP_KERNEL);
	int err;

	BUILD_BUG_ON(BIT(SLOT_BITS) <= FLT_HIST_PROCS_MAX);
	if (!h)
		return -ENOMEM;
	h->reader = config->reader;
	h->cgroup = config->cgroup;
	h->by_thread = config->cgroup || config->reader->ns;
	h->procs = config->procs;
	err = allocate(h, config->causes);
	if (err) {
		free_hist(h);
		return err;
	}
	if (h->causes) {
		err = flt_waits_get();
		if (err) {
			free_hist(h);
			return err;
		}
	}
	rcu_assign_pointer(hists[bit], h);
	static_branch_inc(&flt_hist_on);
	/* A handler that sees the bit must find the histograms. */
	smp_wmb();
	if (config->everybody)
		WRITE_ONCE(flt_hist_all, flt_hist_all | BIT(bit));
	else
		WRITE_ONCE(flt_hist_own, flt_hist_own | BIT(bit));
	set_sole_causes();
	return 0;
}

void flt_hist_close(u32 bit)
{
	struct hist *h = hist_at(bit);

	if (!h)
		return;
	static_branch_dec(&flt_hist_on);
	if (h->causes)
		flt_waits_put();
	WRITE_ONCE(flt_hist_all, flt_hist_all & ~BIT(bit));
	WRITE_ONCE(flt_hist_own, flt_hist_own & ~BIT(bit));
	set_sole_causes();
	/* Handlers run with preemption off, so after this no handler uses the histograms. */
	synchronize_rcu();
	RCU_INIT_POINTER(hists[bit], NULL);
	free_hist(h);
}

static bool wants(const struct hist *h)
{
	if (!h->by_thread)
		return true;
	return flt_pidns_tgid(h->reader, current) &&
	       (!h->cgroup || flt_cgroup_holds(h->cgroup, current));
}

/*
 * Return the slot of a process, or 0. Two threads of a process may take a slot at the same
 * time; then the process has one of them, and the other stays empty.
 */
static u32 slot_of(struct hist *h, u64 proc)
{
	u32 at, slot = 0;
	u64 key;

	for (at = hash_64(proc, h->bits);; at = (at + 1) & (BIT(h->bits) - 1)) {
		key = atomic64_read(&h->key[at]);
		if (key >> SLOT_BITS == proc)
			return key & (BIT(SLOT_BITS) - 1);
		if (key)
			continue;
		if (!slot && atomic_read(&h->used) < h->procs)
			slot = atomic_inc_return(&h->used);
		if (!slot || slot > h->procs)
			return 0;
		key = atomic64_cmpxchg(&h->key[at], 0, proc << SLOT_BITS | slot);
		if (!key)
			return slot;
		if (key >> SLOT_BITS == proc)
			return key & (BIT(SLOT_BITS) - 1);
	}
}

static __always_inline void count(struct counts *c, u32 bucket, u64 ns)
{
	c->bucket[bucket]++;
	c->sum += ns;
	if (unlikely(ns > c->max))
		c->max = ns;
}

u32 flt_hist_fault(unsigned long mask, u64 proc, bool major, u8 kind, u32 bucket, u64 ns)
{
	struct hist_cpu *c;
	struct hist *h;
	u32 causes = 0;

	for (; mask; mask &= mask - 1) {
		h = rcu_dereference_sched(hists[__ffs(mask)]);
		if (!wants(h))
			continue;
		if (h->causes)
			causes |= mask & -mask;
		if (!h->procs)
			continue;
		c = h->cpu[smp_processor_id()];
		count(&c->kind[major][kind], bucket, ns);
		count(&c->proc[proc ? slot_of(h, proc) : 0], bucket, ns);
	}
	return causes;
}

void flt_hist_return(unsigned long mask, unsigned long names, u32 bucket, u64 ns)
{
	struct hist_cpu *c;
	unsigned int name;
	struct hist *h;

	for (; mask; mask &= mask - 1) {
		h = rcu_dereference_sched(hists[__ffs(mask)]);
		if (!h->procs || !wants(h))
			continue;
		c = h->cpu[smp_processor_id()];
		for_each_set_bit(name, &names, __FLT_RETURN_MAX)
			count(&c->returned[name], bucket, ns);
	}
}

u32 flt_hist_cause(unsigned long mask, u32 bucket, u64 ns, u32 cause, u64 part)
{
	struct flt_causes_cpu *c;
	u32 slow = 0;

	for (; mask; mask &= mask - 1) {
		c = flt_causes_here(rcu_dereference_sched(hists[__ffs(mask)])->causes);
		c->ns[cause][bucket] += part;
		if (unlikely(ns > c->slowest.floor))
			slow |= mask & -mask;
	}
	return slow;
}

void flt_hist_slow(unsigned long mask, const struct flt_slow *fault)
{
	for (; mask; mask &= mask - 1)
		flt_causes_slow(rcu_dereference_sched(hists[__ffs(mask)])->causes, fault);
}

static void add(struct flt_hist_report *r, const struct counts *c)
{
	int i;

	for (i = 0; i < FLT_BUCKETS; i++)
		r->bucket[i] += READ_ONCE(c->bucket[i]);
	r->sum += READ_ONCE(c->sum);
	r->max = max(r->max, READ_ONCE(c->max));
}

/*
 * Add the calls that returned 0: all minor and major faults but those that returned something.
 * A writer counts the returned value first, see returned_nothing() in tally.c.
 */
static void add_nothing(struct flt_hist_report *r, const struct hist_cpu *c)
{
	const struct counts *something = &c->returned[FLT_RETURN_NONE];
	const struct counts *all = c->kind[0];
	u64 n, less;
	int i, k;

	for (i = 0; i < FLT_BUCKETS; i++) {
		less = READ_ONCE(something->bucket[i]);
		/* Pairs with the order of the writer on the same CPU, see above. */
		smp_rmb();
		for (n = 0, k = 0; k < 2 * __FLT_KIND_MAX; k++)
			n += READ_ONCE(all[k].bucket[i]);
		r->bucket[i] += n > less ? n - less : 0;
	}
	less = READ_ONCE(something->sum);
	/* The same. */
	smp_rmb();
	for (n = 0, k = 0; k < 2 * __FLT_KIND_MAX; k++)
		n += READ_ONCE(all[k].sum);
	r->sum += n > less ? n - less : 0;
}

/* Return the process that has a slot, or 0. */
static u64 owner_of(const struct hist *h, u32 slot)
{
	u64 key;
	u32 at;

	for (at = 0; at < BIT(h->bits); at++) {
		key = atomic64_read(&h->key[at]);
		if (key && (key & (BIT(SLOT_BITS) - 1)) == slot)
			return key >> SLOT_BITS;
	}
	return 0;
}

int flt_hist_read(u32 bit, enum flt_hist_group group, u32 index, struct flt_hist_report *r)
{
	static const u32 sizes[] = {
		[FLT_HIST_KINDS] = 2 * __FLT_KIND_MAX,
		[FLT_HIST_RETURNS] = __FLT_RETURN_MAX,
		[FLT_HIST_CAUSES] = __FLT_CAUSE_MAX,
	};
	const struct hist *h = hist_at(bit);
	int cpu, i;

	if (!h || !(group == FLT_HIST_CAUSES ? !!h->causes : h->procs) ||
	    index >= (group == FLT_HIST_PROCS ? h->procs + 1 : sizes[group]))
		return -ENOENT;
	memset(r, 0, sizeof(*r));
	if (group == FLT_HIST_CAUSES) {
		r->sum = flt_causes_read(h->causes, index, r->bucket);
		return r->sum ? 0 : -ENODATA;
	}
	if (group == FLT_HIST_PROCS && index)
		r->proc = owner_of(h, index);
	for_each_possible_cpu(cpu) {
		const struct hist_cpu *c = h->cpu[cpu];

		if (group == FLT_HIST_KINDS)
			add(r, &c->kind[index & 1][index >> 1]);
		else if (group == FLT_HIST_PROCS)
			add(r, &c->proc[index]);
		else if (index != FLT_RETURN_NONE)
			add(r, &c->returned[index]);
		else
			add_nothing(r, c);
	}
	for (i = 0; i < FLT_BUCKETS; i++)
		if (r->bucket[i])
			return 0;
	return -ENODATA;
}

int flt_hist_slowest(u32 bit, int cpu, u32 slot, struct flt_slow *fault)
{
	const struct hist *h = hist_at(bit);

	if (!h || !h->causes)
		return -ENOENT;
	flt_slowest_read(&h->causes->cpu[cpu]->slowest, slot, fault);
	if (flt_pidns_is_inner()) {
		fault->tgid = fault->inner_tgid;
		fault->tid = fault->inner_tid;
	}
	return 0;
}
