// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include "hist/causes.h"
#include "mm/pidns.h"

size_t flt_causes_size(void)
{
	return num_possible_cpus() * sizeof(struct flt_causes_cpu);
}

struct flt_causes *flt_causes_new(const struct flt_pidns *reader)
{
	struct flt_causes *causes = kzalloc(struct_size(causes, cpu, nr_cpu_ids), GFP_KERNEL);
	int cpu;

	if (!causes)
		return NULL;
	causes->reader = reader;
	for_each_possible_cpu(cpu) {
		struct flt_causes_cpu *c = kvzalloc_node(sizeof(*c), GFP_KERNEL, cpu_to_node(cpu));

		if (!c) {
			flt_causes_free(causes);
			return NULL;
		}
		seqcount_init(&c->slowest.seq);
		causes->cpu[cpu] = c;
	}
	return causes;
}

void flt_causes_free(struct flt_causes *causes)
{
	int cpu;

	if (!causes)
		return;
	for_each_possible_cpu(cpu)
		kvfree(causes->cpu[cpu]);
	kfree(causes);
}

void flt_causes_slow(const struct flt_causes *causes, const struct flt_slow *fault)
{
	struct flt_slow known = *fault;

	known.inner_tgid = flt_pidns_tgid(causes->reader, current);
	known.inner_tid = flt_pidns_tid(causes->reader, current);
	flt_slowest_add(&flt_causes_here(causes)->slowest, &known);
}

u64 flt_causes_read(const struct flt_causes *causes, u32 cause, u64 *bucket)
{
	u64 total = 0;
	int cpu, i;

	memset(bucket, 0, FLT_BUCKETS * sizeof(*bucket));
	for_each_possible_cpu(cpu) {
		for (i = 0; i < FLT_BUCKETS; i++) {
			u64 ns = READ_ONCE(causes->cpu[cpu]->ns[cause][i]);

			bucket[i] += ns;
			total += ns;
		}
	}
	return total;
}
