// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "fault/entry.h"
#include "fault/fault.h"
#include "fault/mode.h"
#include "fault/switch.h"

/* A mode of mode.h: OFF, ENTRIES, or RETURNS + N. */
static unsigned int current_mode;
static unsigned int returns_users;
static bool started;
/* The mode whose probe counts no faults any more, but is still armed. OFF: none. */
static unsigned int leaving;
/* There was no memory for a larger probe. Reset when returns are probed anew. */
static bool cannot_grow;

static bool is_returns(unsigned int mode)
{
	return mode >= FLT_MODE_RETURNS;
}

static struct flt_hook *hook_of(unsigned int mode)
{
	struct flt_hook *h = &flt_fault_hook;

	if (mode == FLT_MODE_ENTRIES)
		return &flt_entry_hook;
	for (; mode > FLT_MODE_RETURNS; mode--)
		h = h->larger;
	return h;
}

static long set_here(void *mode)
{
	this_cpu_write(flt_mode_here, (unsigned long)mode);
	return 0;
}

/* Change the mode of one CPU after the other. No handler of a call runs meanwhile on the CPU. */
static void set_everywhere(unsigned int mode)
{
	int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			work_on_cpu(cpu, set_here, (void *)(unsigned long)mode);
		else
			per_cpu(flt_mode_here, cpu) = mode;
	}
	cpus_read_unlock();
}

/*
 * Wait until every call that has entered the function before runs a handler or has run it. Such a
 * call may have been preempted in the trampoline of ftrace, on its way to the handler of the one
 * probe that was armed then, and it does not see the other one.
 */
static void wait_for_calls(void)
{
	if (flt_is_preemptible())
		synchronize_rcu_tasks();
}

/*
 * Pass the faults from one probe to the other. The probe that counted stays armed until
 * flt_switch_settle(), because to remove it waits for grace periods.
 */
static int switch_probes(unsigned int from, unsigned int to)
{
	int cpu, err;

	if (leaving == FLT_MODE_OFF) {
		for_each_possible_cpu(cpu)
			per_cpu(flt_mode_here, cpu) = from;
		static_branch_enable(&flt_mode_switching);
		err = flt_hook_get(hook_of(to));
		if (err) {
			static_branch_disable(&flt_mode_switching);
			return err;
		}
		wait_for_calls();
	}
	/* If a probe is leaving, it is the one to go back to, see change_mode(). */
	set_everywhere(to);
	leaving = from;
	return 0;
}

/* Disarm the probe of a mode. Smaller return probes are only paused. */
static void put_probes(unsigned int mode)
{
	flt_hook_put(hook_of(mode));
	while (mode-- > FLT_MODE_RETURNS)
		flt_hook_put(hook_of(mode));
}

/* Calls in progress return through the smaller probe while there is a larger one. */
static void remove_leaving(void)
{
	if (leaving == FLT_MODE_OFF)
		return;
	if (is_returns(leaving) && is_returns(current_mode))
		flt_hook_pause(hook_of(leaving));
	else
		put_probes(leaving);
	static_branch_disable(&flt_mode_switching);
	leaving = FLT_MODE_OFF;
}

static unsigned int wanted_mode(void)
{
	if (!started)
		return FLT_MODE_OFF;
	if (!returns_users)
		return FLT_MODE_ENTRIES;
	return is_returns(current_mode) ? current_mode :
	       is_returns(leaving) ? leaving : FLT_MODE_RETURNS;
}

static int change_mode(void)
{
	unsigned int to = wanted_mode();
	int err = 0;

	if (to == current_mode)
		return 0;
	if (current_mode == FLT_MODE_OFF) {
		err = flt_hook_get(hook_of(to));
	} else if (to == FLT_MODE_OFF) {
		remove_leaving();
		put_probes(current_mode);
	} else {
		err = switch_probes(current_mode, to);
	}
	if (err)
		return err;
	WRITE_ONCE(current_mode, to);
	cannot_grow = false;
	return 0;
}

int flt_switch_start(void)
{
	int err;

	started = true;
	err = change_mode();
	if (err)
		started = false;
	return err;
}

void flt_switch_stop(void)
{
	started = false;
	change_mode();
}

int flt_switch_get_returns(void)
{
	int err;

	returns_users++;
	err = change_mode();
	if (err)
		returns_users--;
	return err;
}

void flt_switch_put_returns(void)
{
	returns_users--;
}

/* If the cheaper probe cannot be armed, the other one stays. */
void flt_switch_settle(void)
{
	change_mode();
	remove_leaving();
}

void flt_switch_grow(void)
{
	struct flt_hook *h;

	flt_switch_settle();
	if (!is_returns(current_mode))
		return;
	h = hook_of(current_mode);
	if (cannot_grow || !h->larger || !flt_hook_was_full(h))
		return;
	cannot_grow = switch_probes(current_mode, current_mode + 1);
	if (cannot_grow)
		return;
	WRITE_ONCE(current_mode, current_mode + 1);
	remove_leaving();
}

bool flt_switch_is_returns(void)
{
	return is_returns(READ_ONCE(current_mode));
}
