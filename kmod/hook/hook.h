/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hook - probes on kernel functions and tracepoints.
 *
 * A hook is data: candidate symbol names, handlers for entry and return, and whether the
 * module needs it. hook.c finds and arms hooks and reports which symbol was found, how
 * often the hook ran and what it missed. No other file uses kprobes or registers
 * tracepoint probes.
 */
#ifndef FLT_HOOK_H
#define FLT_HOOK_H

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/flt.h>

struct tracepoint;

enum flt_hook_id {
	FLT_HOOK_ID_FAULT,
	FLT_HOOK_ID_ENTRY,
	FLT_HOOK_ID_EXIT,
	FLT_HOOK_ID_EXEC,
	FLT_HOOK_ID_FORK,
	FLT_HOOK_ID_MAP,
	FLT_HOOK_ID_MOVE,
	FLT_HOOK_ID_MMAP_LOCK_WAIT,
	FLT_HOOK_ID_MMAP_LOCK_TAKEN,
	FLT_HOOK_ID_MMAP_LOCK_RELEASED,
	FLT_HOOK_ID_THP_FILL,
	FLT_HOOK_ID_THP_DEPOSIT,
	FLT_HOOK_ID_THP_ZERO,
	FLT_HOOK_ID_THP_CHARGE,
	FLT_HOOK_ID_THP_REPLACE,
	FLT_HOOK_ID_THP_WRITE,
	FLT_HOOK_ID_SPLIT_MAP,
	FLT_HOOK_ID_SPLIT_WITHDRAW,
	FLT_HOOK_ID_SPLIT_PAGE,
	FLT_HOOK_ID_COLLAPSE_SCAN,
	FLT_HOOK_ID_COLLAPSE,
	FLT_HOOK_ID_COLLAPSE_SCAN_FILE,
	FLT_HOOK_ID_COLLAPSE_FILE,
	FLT_HOOK_ID_NUMA_HINT,
	FLT_HOOK_ID_NUMA_MOVE,
	FLT_HOOK_ID_NUMA_MIGRATE,
	FLT_HOOK_ID_NUMA_TASK_MOVE,
	FLT_HOOK_ID_NUMA_TASK_STICK,
	FLT_HOOK_ID_NUMA_TASK_SWAP,
	FLT_HOOK_IDS
};

#define FLT_HOOK_SYMBOLS 3
#define FLT_HOOK_LARGER 8

struct flt_hook {
	const char *name;
	enum flt_hook_type type;
	enum flt_hook_id id;
	u32 feature;				/* FLT_FEATURE_* */
	u64 unknown;				/* FLT_HOOK_UNKNOWN: counters that need the hook */
	bool required;
	bool unfit;				/* this kernel's function does not tell enough */
	const char *symbol[FLT_HOOK_SYMBOLS];	/* candidates, best first */
	/* FLT_HOOK_TYPE_KRETPROBE: from FLT_HOOK_RETURN() */
	kretprobe_handler_t enter, leave;
	size_t data_size;
	/* The same probe with FLT_HOOK_LARGER times as many instances; NULL: none */
	struct flt_hook *larger;
	/* FLT_HOOK_TYPE_KPROBE: from FLT_HOOK_ENTRY() */
	kprobe_pre_handler_t entry;
#if FLT_FTRACE_CALLS
	/* FLT_HOOK_TYPE_FTRACE: from FLT_HOOK_CALL() */
	ftrace_func_t call;
#endif
	/*
	 * FLT_HOOK_TYPE_TRACEPOINT: prototype is the tracepoint's, void *data first. The body is
	 * between flt_hook_begin() and flt_hook_end().
	 */
	void *probe;

	/* Set when the module is loaded. */
	const char *taken;			/* the symbol found; NULL: none */
	void *address;				/* of the symbol, unless it is a tracepoint */
	int error;				/* 0, or why no symbol was found */
	/* Private to hook.c, which describes the locks. */
	unsigned int users;
	bool armed;
	bool paused;				/* sees no more calls; .missed_* are complete */
	unsigned int instances;			/* of a return probe: calls in progress at a time */
	struct kretprobe rp;
	/* The parts of rp.kp.nmissed: faults in handlers, and calls missed */
	atomic_long_t handler_faults;
	unsigned long busy;
#if FLT_FTRACE_CALLS
	struct ftrace_ops ops;
#endif
	struct tracepoint *tp;
	unsigned long missed_full, missed_busy;	/* sums of earlier registrations */
};

struct flt_hook_report {
	const char *name, *symbol;
	enum flt_hook_type type;
	enum flt_hook_state state;
	int error;
	bool required, ftrace;
	u64 unknown, hits, missed_full, missed_busy;
};

DECLARE_PER_CPU(u64 [FLT_HOOK_IDS], flt_hook_hits);

/* Count a call. Call first in every entry handler. */
static __always_inline void flt_hook_hit(enum flt_hook_id id)
{
	this_cpu_inc(flt_hook_hits[id]);
}

/*
 * Begin and end a tracepoint probe. Since 7.0 tracepoints call their probes with preemption on
 * (srcu_fast_notrace in __DECLARE_TRACE()). But streams and counters of a CPU have no lock, and
 * those that wait for handlers wait for an RCU grace period.
 */
static __always_inline void flt_hook_begin(enum flt_hook_id id)
{
	preempt_disable_notrace();
	flt_hook_hit(id);
}

static __always_inline void flt_hook_end(void)
{
	preempt_enable_notrace();
}

static __always_inline unsigned long flt_hook_arg(struct pt_regs *regs, unsigned int n)
{
	return regs_get_kernel_argument(regs, n);
}

/*
 * Define the handlers of a kretprobe hook from two functions:
 *   void enter(struct data *d, struct pt_regs *regs)
 *   void leave(struct data *d, unsigned long ret)
 * Both run with preemption off and must not fault, sleep, allocate or print.
 */
#define FLT_HOOK_RETURN(prefix, data_type, on_enter, on_leave)			\
static int prefix##_enter(struct kretprobe_instance *ri, struct pt_regs *regs)	\
{										\
	on_enter((data_type *)ri->data, regs);					\
	return 0;								\
}										\
NOKPROBE_SYMBOL(prefix##_enter);						\
static int prefix##_leave(struct kretprobe_instance *ri, struct pt_regs *regs)	\
{										\
	on_leave((data_type *)ri->data, regs_return_value(regs));		\
	return 0;								\
}										\
NOKPROBE_SYMBOL(prefix##_leave)

/* Define the handler of a kprobe hook from void on_entry(struct pt_regs *regs). */
#define FLT_HOOK_ENTRY(prefix, on_entry)					\
static int prefix##_entry(struct kprobe *kp, struct pt_regs *regs)		\
{										\
	on_entry(regs);								\
	return 0;								\
}										\
NOKPROBE_SYMBOL(prefix##_entry)

/*
 * Define the handler of a hook on entry, from a function that takes the first three arguments
 * of the probed one, and the members of struct flt_hook for it. An ftrace handler without
 * FTRACE_OPS_FL_SAVE_REGS takes about 40 instructions, a kprobe 160.
 */
#if FLT_FTRACE_CALLS
#define FLT_HOOK_CALL(prefix, on_call)						\
static void notrace prefix##_called(unsigned long ip, unsigned long parent_ip,	\
				    struct ftrace_ops *ops, struct ftrace_regs *regs)	\
{										\
	preempt_disable_notrace();						\
	on_call(ftrace_regs_get_argument(regs, 0), ftrace_regs_get_argument(regs, 1),	\
		ftrace_regs_get_argument(regs, 2));				\
	preempt_enable_notrace();						\
}										\
NOKPROBE_SYMBOL(prefix##_called)
#define FLT_HOOK_CALLED(prefix) .type = FLT_HOOK_TYPE_FTRACE, .call = prefix##_called
#else
#define FLT_HOOK_CALL(prefix, on_call)						\
static int prefix##_called(struct kprobe *kp, struct pt_regs *regs)		\
{										\
	on_call(flt_hook_arg(regs, 0), flt_hook_arg(regs, 1), flt_hook_arg(regs, 2));	\
	return 0;								\
}										\
NOKPROBE_SYMBOL(prefix##_called)
#define FLT_HOOK_CALLED(prefix) .type = FLT_HOOK_TYPE_KPROBE, .entry = prefix##_called
#endif

/* Register a hook. Call for all hooks before flt_hook_init(). */
void flt_hook_add(struct flt_hook *hook);
void flt_hook_add_all(struct flt_hook *const *set, unsigned int count);
/*
 * Find the symbols of all hooks. @maxactive: instances of return probes; 0: a default, and probes
 * may have larger ones. Return 0, or an error if this kernel lacks a required hook.
 */
int flt_hook_init(unsigned int maxactive);
/* Disarm what has users left and warn about them. Nobody may call flt_hook_get() any more. */
void flt_hook_exit(void);

/*
 * Arm a hook for its first user. Return 0 without doing anything if the hook is optional
 * and absent. May sleep.
 */
int flt_hook_get(struct flt_hook *hook);
/* Disarm a hook after its last user. No handler is running when it returns. May sleep. */
void flt_hook_put(struct flt_hook *hook);
/* Get all hooks of an array in order, or none if one fails. Put them in reverse order. */
int flt_hook_get_all(struct flt_hook *const *hooks, unsigned int count);
void flt_hook_put_all(struct flt_hook *const *hooks, unsigned int count);

/* Return true if the hook is on its first candidate symbol, whose arguments may differ. */
static inline bool flt_hook_took_first(const struct flt_hook *hook)
{
	return hook->taken == hook->symbol[0];
}

/*
 * Return the address of a function that is not exported, or NULL. Call it by static_call()
 * only: with IBT the address lies after the ENDBR, so an indirect call would trap.
 */
void *flt_hook_function(const char *symbol);

u32 flt_hook_features(void);
/* Return the counters that need a hook which is absent. Call after flt_hook_init(). */
u64 flt_hook_unknown(struct flt_hook *const *hooks, unsigned int count);
/* Return the bytes of the return instances of armed hooks. */
size_t flt_hook_memory(void);
/*
 * Let an armed return probe see no more calls. Calls in progress still return through it. Waits for
 * running handlers.
 */
void flt_hook_pause(struct flt_hook *hook);
/* Return true if an armed return probe missed a call, because it had no instance for the call. */
bool flt_hook_was_full(const struct flt_hook *hook);
/* Return the instances of a return probe, or of the larger one that is armed. */
unsigned int flt_hook_instances(const struct flt_hook *hook);
/* Report hook @i. Return 0, or -ENOENT after the last one. */
int flt_hook_report(unsigned int i, struct flt_hook_report *report);

#endif
