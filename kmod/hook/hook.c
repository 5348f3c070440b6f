// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <linux/tracepoint.h>
#include "hook/hook.h"

DEFINE_PER_CPU(u64 [FLT_HOOK_IDS], flt_hook_hits);

static struct flt_hook *hooks[FLT_HOOK_IDS];
/* Serializes arming and disarming, which wait for grace periods. Readers do not take the lock. */
static DEFINE_MUTEX(hook_lock);
/* Protects what flt_hook_report() reads: .armed and .missed_*. Not taken in handlers. */
static DEFINE_SPINLOCK(state_lock);

void __init flt_hook_add(struct flt_hook *hook)
{
	hooks[hook->id] = hook;
}

void __init flt_hook_add_all(struct flt_hook *const *set, unsigned int count)
{
	while (count--)
		flt_hook_add(set[count]);
}

struct tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static void match_tracepoint(struct tracepoint *tp, void *data)
{
	struct tracepoint_search *s = data;

	if (!strcmp(tp->name, s->name))
		s->found = tp;
}

static int find_tracepoint(struct flt_hook *h, const char *symbol)
{
	struct tracepoint_search s = { .name = symbol };

	for_each_kernel_tracepoint(match_tracepoint, &s);
	h->tp = s.found;
	return h->tp ? 0 : -ENOENT;
}

static int count_handler_fault(struct kprobe *kp, struct pt_regs *regs, int trap)
{
	struct flt_hook *h = container_of(kp, struct flt_hook, rp.kp);

	/* Pairs with update_missed_busy(). */
	smp_mb__before_atomic();
	atomic_long_inc(&h->handler_faults);
	return 0;
}
NOKPROBE_SYMBOL(count_handler_fault);

/*
 * Update the calls that the probe missed because another one ran on the CPU. The number never
 * decreases: the kernel's counter is not atomic, so CPUs that count faults at once may lose some
 * there. Then as many misses are not seen. Needs state_lock.
 */
static void update_missed_busy(struct flt_hook *h)
{
	unsigned long missed = READ_ONCE(h->rp.kp.nmissed), faults;

	/* The kernel counts a fault before count_handler_fault() does. */
	smp_rmb();
	faults = atomic_long_read(&h->handler_faults);
	if (missed > faults + h->busy)
		h->busy = missed - faults;
}

/*
 * Clear the struct first, because register_kretprobe() refuses one with the fields set
 * that it has set itself when it registered the probe before. It also clears the fault handler.
 */
static int register_return_probe(struct flt_hook *h, const char *symbol)
{
	int err;

	memset(&h->rp, 0, sizeof(h->rp));
	h->rp.kp.symbol_name = symbol;
	h->rp.entry_handler = h->enter;
	h->rp.handler = h->leave;
	h->rp.data_size = h->data_size;
	h->rp.maxactive = h->instances;
	err = register_kretprobe(&h->rp);
	/* A fault before this line counts as a miss. */
	if (!err)
		flt_kprobe_on_fault(&h->rp.kp, count_handler_fault);
	return err;
}

/* Clear the struct first, as in register_return_probe(). */
static int register_entry_probe(struct flt_hook *h)
{
	memset(&h->rp.kp, 0, sizeof(h->rp.kp));
	h->rp.kp.symbol_name = h->taken;
	h->rp.kp.pre_handler = h->entry;
	return register_kprobe(&h->rp.kp);
}

#if FLT_FTRACE_CALLS
static int register_call(struct flt_hook *h)
{
	int err;

	memset(&h->ops, 0, sizeof(h->ops));
	h->ops.func = h->call;
	/* sysctl kernel.ftrace_enabled=0 fails, instead of stopping the calls without a word. */
	h->ops.flags = FTRACE_OPS_FL_PERMANENT | FLT_FTRACE_FLAGS;
	err = ftrace_set_filter_ip(&h->ops, (unsigned long)h->address, 0, 0);
	if (!err)
		err = register_ftrace_function(&h->ops);
	if (err == -EBUSY)
		pr_err("cannot probe %s: sysctl kernel.ftrace_enabled is 0\n", h->taken);
	if (err)
		ftrace_free_filter(&h->ops);
	return err;
}

/* Waits for running handlers. */
static void unregister_call(struct flt_hook *h)
{
	unregister_ftrace_function(&h->ops);
	ftrace_free_filter(&h->ops);
}
#else
static int register_call(struct flt_hook *h)
{
	return -EOPNOTSUPP;
}

static void unregister_call(struct flt_hook *h)
{
}
#endif

static int register_hook(struct flt_hook *h)
{
	switch (h->type) {
	case FLT_HOOK_TYPE_TRACEPOINT:
		return tracepoint_probe_register(h->tp, h->probe, NULL);
	case FLT_HOOK_TYPE_KPROBE:
		return register_entry_probe(h);
	case FLT_HOOK_TYPE_FTRACE:
		return register_call(h);
	default:
		return register_return_probe(h, h->taken);
	}
}

/* Wait for running handlers. */
static void unregister_hook(struct flt_hook *h)
{
	switch (h->type) {
	case FLT_HOOK_TYPE_TRACEPOINT:
		tracepoint_probe_unregister(h->tp, h->probe, NULL);
		tracepoint_synchronize_unregister();
		break;
	case FLT_HOOK_TYPE_FTRACE:
		unregister_call(h);
		break;
	case FLT_HOOK_TYPE_KPROBE:
		unregister_kprobe(&h->rp.kp);
		break;
	default:
		/*
		 * Calls that sleep in the probed function return later through a trampoline of
		 * the kernel, which does not call the handler any more. So they need nothing of
		 * this module.
		 */
		unregister_kretprobe(&h->rp);
	}
}

static bool has_kprobe(const struct flt_hook *h)
{
	return h->type == FLT_HOOK_TYPE_KRETPROBE || h->type == FLT_HOOK_TYPE_KPROBE;
}

static int arm_hook(struct flt_hook *h)
{
	int err;

	atomic_long_set(&h->handler_faults, 0);
	h->busy = 0;
	err = register_hook(h);
	if (err)
		return err;
	spin_lock(&state_lock);
	h->armed = true;
	spin_unlock(&state_lock);
	return 0;
}

/*
 * Add what the probe has missed to the sums of earlier registrations. While a larger probe takes
 * over, both may count a call. Needs state_lock.
 */
static void sum_up_missed(struct flt_hook *h)
{
	h->missed_full += h->rp.nmissed;
	update_missed_busy(h);
	h->missed_busy += h->busy;
}

/* The counters in .rp stay until the next registration, so a report finds each miss once. */
static void disarm_hook(struct flt_hook *h)
{
	unregister_hook(h);
	spin_lock(&state_lock);
	h->armed = false;
	if (has_kprobe(h) && !h->paused)
		sum_up_missed(h);
	h->paused = false;
	spin_unlock(&state_lock);
}

/* Find an address by registering a disabled kprobe without handlers. */
static int find_function(const char *symbol, void **address)
{
	struct kprobe kp = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&kp);

	if (err)
		return err;
	*address = kp.addr;
	unregister_kprobe(&kp);
	return 0;
}

void *flt_hook_function(const char *symbol)
{
	void *address;

	return find_function(symbol, &address) ? NULL : address;
}

static int find_symbol(struct flt_hook *h)
{
	int i, err = -ENOENT;

	if (h->unfit)
		return -EOPNOTSUPP;
	for (i = 0; i < FLT_HOOK_SYMBOLS && h->symbol[i]; i++) {
		if (h->type == FLT_HOOK_TYPE_TRACEPOINT)
			err = find_tracepoint(h, h->symbol[i]);
		else
			err = find_function(h->symbol[i], &h->address);
		if (!err) {
			h->taken = h->symbol[i];
			break;
		}
	}
	return err;
}

/* The kernel's default for threads-max (set_max_threads()): so many calls may sleep at a time. */
static u64 __init max_threads(void)
{
	return min_t(u64, (u64)totalram_pages() * PAGE_SIZE / (THREAD_SIZE * 8), 1u << 20);
}

/* Set the instances of a return probe, and complete its larger probes. */
static void __init init_instances(struct flt_hook *h, unsigned int fixed)
{
	u64 most = max_threads();
	struct flt_hook *l;

	h->instances = fixed ?: max(4096u, 16 * num_possible_cpus());
	if (fixed)
		h->larger = NULL;

	for (; h->larger; h = l) {
		l = h->larger;
		l->error = h->error;
		l->taken = h->taken;
		l->address = h->address;
		l->instances = max_t(u64, h->instances,
				     min_t(u64, (u64)h->instances * FLT_HOOK_LARGER, most));
	}
}

int __init flt_hook_init(unsigned int maxactive)
{
	int i;

	for (i = 0; i < FLT_HOOK_IDS; i++) {
		struct flt_hook *h = hooks[i];

		h->error = find_symbol(h);
		init_instances(h, maxactive);
		if (h->error && h->required) {
			pr_err("cannot probe %s: %pe\n", h->symbol[0], ERR_PTR(h->error));
			return h->error;
		}
	}
	return 0;
}

/* Warn about hooks that have users, and disarm them: the module's code is freed next. */
void flt_hook_exit(void)
{
	int i;

	for (i = 0; i < FLT_HOOK_IDS; i++) {
		struct flt_hook *h = hooks[i];

		if (WARN(h->users, "flt: probe %s has %u users at exit\n", h->name, h->users) &&
		    !h->error)
			disarm_hook(h);
	}
}

int flt_hook_get(struct flt_hook *h)
{
	int err = 0;

	mutex_lock(&hook_lock);
	if (h->error && h->required)
		err = h->error;
	else if (!h->error && !h->users)
		err = arm_hook(h);
	if (!err)
		h->users++;
	mutex_unlock(&hook_lock);
	return err;
}

void flt_hook_put(struct flt_hook *h)
{
	mutex_lock(&hook_lock);
	if (!--h->users && !h->error)
		disarm_hook(h);
	mutex_unlock(&hook_lock);
}

void flt_hook_pause(struct flt_hook *h)
{
	mutex_lock(&hook_lock);
	WARN(disable_kretprobe(&h->rp), "flt: cannot pause probe %s\n", h->name);
	synchronize_rcu();
	spin_lock(&state_lock);
	sum_up_missed(h);
	h->paused = true;
	spin_unlock(&state_lock);
	mutex_unlock(&hook_lock);
}

bool flt_hook_was_full(const struct flt_hook *h)
{
	return READ_ONCE(h->rp.nmissed);
}

void flt_hook_put_all(struct flt_hook *const *set, unsigned int count)
{
	while (count--)
		flt_hook_put(set[count]);
}

int flt_hook_get_all(struct flt_hook *const *set, unsigned int count)
{
	unsigned int i;
	int err;

	for (i = 0; i < count; i++) {
		err = flt_hook_get(set[i]);
		if (err) {
			flt_hook_put_all(set, i);
			return err;
		}
	}
	return 0;
}

u32 flt_hook_features(void)
{
	u32 features = 0;
	int i;

	for (i = 0; i < FLT_HOOK_IDS; i++)
		if (!hooks[i]->error)
			features |= hooks[i]->feature;
	return features;
}

u64 flt_hook_unknown(struct flt_hook *const *set, unsigned int count)
{
	u64 unknown = 0;

	while (count--)
		if (set[count]->error)
			unknown |= set[count]->unknown;
	return unknown;
}

size_t flt_hook_memory(void)
{
	const struct flt_hook *h;
	size_t bytes = 0;
	int i;

	for (i = 0; i < FLT_HOOK_IDS; i++) {
		if (hooks[i]->type != FLT_HOOK_TYPE_KRETPROBE)
			continue;
		for (h = hooks[i]; h; h = h->larger)
			if (READ_ONCE(h->armed))
				bytes += h->instances * (sizeof(struct kretprobe_instance) +
							 h->data_size + FLT_INSTANCE_POINTERS);
	}
	return bytes;
}

unsigned int flt_hook_instances(const struct flt_hook *h)
{
	unsigned int instances = h->instances;

	for (; h; h = h->larger)
		if (READ_ONCE(h->armed))
			instances = h->instances;
	return instances;
}

/* Add what a probe, which may be armed, has missed. Needs state_lock. */
static void report_missed(struct flt_hook *h, struct flt_hook_report *r)
{
	r->missed_full += h->missed_full;
	r->missed_busy += h->missed_busy;
	/* The kernel counts calls that it misses for paused probes, too. */
	if (!h->armed || h->paused || !has_kprobe(h))
		return;
	r->missed_full += h->rp.nmissed;
	update_missed_busy(h);
	r->missed_busy += h->busy;
}

int flt_hook_report(unsigned int i, struct flt_hook_report *r)
{
	struct flt_hook *h, *larger;
	int cpu;

	if (i >= FLT_HOOK_IDS)
		return -ENOENT;
	h = hooks[i];
	memset(r, 0, sizeof(*r));
	r->name = h->name;
	r->symbol = h->taken ?: h->symbol[0];
	r->type = h->type;
	r->required = h->required;
	r->unknown = h->unknown;
	r->error = h->error;
	r->ftrace = h->type == FLT_HOOK_TYPE_FTRACE;
	spin_lock(&state_lock);
	r->state = h->error ? FLT_HOOK_STATE_ABSENT :
		   h->armed ? FLT_HOOK_STATE_ARMED : FLT_HOOK_STATE_IDLE;
	if (h->armed && has_kprobe(h))
		r->ftrace = kprobe_ftrace(&h->rp.kp);
	for (larger = h; larger; larger = larger->larger)
		report_missed(larger, r);
	spin_unlock(&state_lock);
	for_each_possible_cpu(cpu)
		r->hits += per_cpu(flt_hook_hits, cpu)[i];
	return 0;
}
