// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "account/tally.h"
#include "hook/hook.h"

DEFINE_PER_CPU(struct flt_tally *, flt_tally);

/*
 * Allocate a tally for every possible CPU, because a CPU may come online later, and the
 * counts of an offline CPU still matter. A tally is too large for the static per-CPU memory
 * of a module (8 KiB) and for alloc_percpu() (32 KiB), so each CPU has a pointer.
 */
int __init flt_tally_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct flt_tally *t = kvzalloc_node(sizeof(*t), GFP_KERNEL, cpu_to_node(cpu));

		if (!t) {
			flt_tally_exit();
			return -ENOMEM;
		}
		seqcount_init(&t->slowest.seq);
		per_cpu(flt_tally, cpu) = t;
	}
	return 0;
}

void flt_tally_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(flt_tally, cpu));
		per_cpu(flt_tally, cpu) = NULL;
	}
}

size_t flt_tally_memory(void)
{
	return num_possible_cpus() * sizeof(struct flt_tally);
}

void flt_tally_slow(struct flt_tally *t, const struct flt_slow *slow, bool ended)
{
	if (ended && slow->ns > t->account.latency_max)
		t->account.latency_max = slow->ns;
	flt_slowest_add(&t->slowest, slow);
}

void flt_tally_read(struct flt_tally_sum *sum)
{
	struct flt_account *all = &sum->all;
	struct flt_hook_report fault;
	int cpu, major, kind, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct flt_tally *t = per_cpu(flt_tally, cpu);
		u64 ended[2] = {};

		for (major = 0; major < 2; major++) {
			for (kind = 0; kind < __FLT_KIND_MAX; kind++) {
				u64 n = 0;

				for (i = 0; i < FLT_BUCKETS; i++)
					n += READ_ONCE(t->bucket[major][kind][i]);
				all->kind[kind] += n;
				ended[major] += n;
			}
		}
		all->minor += ended[0];
		all->major += ended[1];
		flt_account_merge(all, &t->account);
		for (i = 0; i < __FLT_FAILURE_MAX; i++) {
			u64 n = READ_ONCE(t->failure[i]);

			sum->failure[i] += n;
			all->failed += n;
		}
		sum->lost_task += READ_ONCE(t->lost_task);
		sum->clock_back += READ_ONCE(t->clock_back);
		flt_account_merge(&sum->other, &t->other);
	}
	flt_hook_report(FLT_HOOK_ID_FAULT, &fault);
	sum->lost_busy = fault.missed_busy;
	sum->lost_full = fault.missed_full;
}

u64 flt_tally_buckets(bool major, u8 kind, u64 *bucket)
{
	u64 total = 0;
	int cpu, i;

	memset(bucket, 0, FLT_BUCKETS * sizeof(*bucket));
	for_each_possible_cpu(cpu) {
		const struct flt_tally *t = per_cpu(flt_tally, cpu);

		for (i = 0; i < FLT_BUCKETS; i++) {
			u64 n = READ_ONCE(t->bucket[major][kind][i]);

			bucket[i] += n;
			total += n;
		}
	}
	return total;
}

/* Return the faults in bucket @i that returned 0: all minor and major ones but the others. */
static u64 returned_nothing(const struct flt_tally *t, int i)
{
	u64 something = READ_ONCE(t->returned[FLT_RETURN_NONE][i]), n = 0;
	int major, kind;

	/*
	 * The writer increments returned[] before bucket[]. Reading in the same order keeps
	 * "something" from exceeding the sum by more than faults in progress.
	 */
	smp_rmb();
	for (major = 0; major < 2; major++)
		for (kind = 0; kind < __FLT_KIND_MAX; kind++)
			n += READ_ONCE(t->bucket[major][kind][i]);
	return n > something ? n - something : 0;
}

u64 flt_tally_returned(enum flt_return ret, u64 *bucket)
{
	u64 total = 0;
	int cpu, i;

	memset(bucket, 0, FLT_BUCKETS * sizeof(*bucket));
	for_each_possible_cpu(cpu) {
		const struct flt_tally *t = per_cpu(flt_tally, cpu);

		for (i = 0; i < FLT_BUCKETS; i++) {
			u64 n = ret ? READ_ONCE(t->returned[ret][i]) : returned_nothing(t, i);

			bucket[i] += n;
			total += n;
		}
	}
	return total;
}
