// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * price - measure the cost of the parts of flt's work per fault. Each part includes the last.
 *   part=0  kprobe on entry, one count
 *   part=1  kretprobe, a count at entry and return
 *   part=2  and the clock at entry and return
 *   part=3  and the kind: page table walk and VMA
 *   part=4  and the machine's tally: bucket, sum, maximum
 * flt itself adds the thread's slot and its account. This module is for measurements only.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include "hook/clock.h"
#include "hook/hook.h"
#include "mm/kind.h"
#include "account/tally.h"

static int part;
module_param(part, int, 0444);

struct fault {
	u64 start;
	unsigned long pfn;
	u8 kind;
};

static DEFINE_PER_CPU(u64, entries);
static DEFINE_PER_CPU(u64, returns);

static int on_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(entries);
	return 0;
}

static __always_inline void enter(struct kretprobe_instance *ri, struct pt_regs *regs, int n)
{
	struct fault *f = (void *)ri->data;
	struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);

	this_cpu_inc(entries);
	if (n >= 3)
		f->kind = flt_kind_find(vma, vma->vm_mm, regs_get_kernel_argument(regs, 1),
					regs_get_kernel_argument(regs, 2), &f->pfn);
	if (n >= 2)
		f->start = flt_clock_read();
}

static __always_inline void leave(struct kretprobe_instance *ri, int n)
{
	struct fault *f = (void *)ri->data;
	u64 ns = 0;

	this_cpu_inc(returns);
	if (n >= 2)
		ns = flt_clock_ns(flt_clock_read() - f->start);
	if (n >= 4) {
		struct flt_tally *t = flt_tally_here();

		if (flt_tally_fault(t, false, f->kind & ~FLT_KIND_PROVISIONAL, flt_bucket_of(ns), ns))
			t->slowest.floor = ns;
	} else if (n >= 2) {
		f->start = ns;
	}
}

#define PART(n)										\
static int enter##n(struct kretprobe_instance *ri, struct pt_regs *regs)		\
{											\
	enter(ri, regs, n);								\
	return 0;									\
}											\
static int leave##n(struct kretprobe_instance *ri, struct pt_regs *regs)		\
{											\
	leave(ri, n);									\
	return 0;									\
}

PART(1)
PART(2)
PART(3)
PART(4)

static const struct {
	kretprobe_handler_t enter, leave;
} parts[] = { {}, { enter1, leave1 }, { enter2, leave2 }, { enter3, leave3 }, { enter4, leave4 } };

static struct kprobe kp = { .symbol_name = "handle_mm_fault", .pre_handler = on_kprobe };
static struct kretprobe rp = {
	.kp.symbol_name = "handle_mm_fault",
	.data_size = sizeof(struct fault),
	.maxactive = 4096,
};

static int __init price_init(void)
{
	int err;

	if (part < 0 || part >= ARRAY_SIZE(parts))
		return -ERANGE;
	flt_clock_init();
	err = flt_tally_init();
	if (err)
		return err;
	rp.entry_handler = parts[part].enter;
	rp.handler = parts[part].leave;
	err = part ? register_kretprobe(&rp) : register_kprobe(&kp);
	if (err)
		flt_tally_exit();
	return err;
}

static void __exit price_exit(void)
{
	if (part)
		unregister_kretprobe(&rp);
	else
		unregister_kprobe(&kp);
	flt_tally_exit();
}

/* For flt_tally_read(), which nobody calls here. */
int flt_hook_report(unsigned int i, struct flt_hook_report *report)
{
	return -ENOENT;
}

module_init(price_init);
module_exit(price_exit);
MODULE_DESCRIPTION("Prices the parts of a fault's account");
MODULE_LICENSE("GPL");
