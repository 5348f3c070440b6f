// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/workqueue.h>
#include "fault/entry.h"
#include "fault/fault.h"
#include "fault/mode.h"
#include "fault/switch.h"

static enum flt_mode current_mode;
static unsigned int returns_users;
static bool started;
/* The probe that counts no faults any more, but is still armed. OFF: none. */
static enum flt_mode leaving;

static struct flt_hook *const hook_of[] = {
	[FLT_MODE_ENTRIES] = &flt_entry_hook,
	[FLT_MODE_RETURNS] = &flt_fault_hook,
};

static long set_here(void *mode)
{
	this_cpu_write(flt_mode_here, (unsigned long)mode);
	return 0;
}

/* Change the mode of one CPU after the other. No handler of a call runs meanwhile on the CPU. */
static void set_everywhere(enum flt_mode mode)
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
 * Pass the faults from one probe to the other. The probe that counted stays armed until
 * flt_switch_settle(), because to remove it waits for grace periods.
 */
static int switch_probes(enum flt_mode from, enum flt_mode to)
{
	int cpu, err;

	if (leaving == FLT_MODE_OFF) {
		for_each_possible_cpu(cpu)
			per_cpu(flt_mode_here, cpu) = from;
		static_branch_enable(&flt_mode_switching);
		err = flt_hook_get(hook_of[to]);
		if (err) {
			static_branch_disable(&flt_mode_switching);
			return err;
		}
	}
	/* There are two probes, so one that is leaving is the one to go back to. */
	set_everywhere(to);
	leaving = from;
	return 0;
}

static void remove_leaving(void)
{
	if (leaving == FLT_MODE_OFF)
		return;
	flt_hook_put(hook_of[leaving]);
	static_branch_disable(&flt_mode_switching);
	leaving = FLT_MODE_OFF;
}

static int change_mode(void)
{
	enum flt_mode to = !started ? FLT_MODE_OFF :
			   returns_users ? FLT_MODE_RETURNS : FLT_MODE_ENTRIES;
	int err = 0;

	if (to == current_mode)
		return 0;
	if (current_mode == FLT_MODE_OFF) {
		err = flt_hook_get(hook_of[to]);
	} else if (to == FLT_MODE_OFF) {
		remove_leaving();
		flt_hook_put(hook_of[current_mode]);
	} else {
		err = switch_probes(current_mode, to);
	}
	if (!err)
		WRITE_ONCE(current_mode, to);
	return err;
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

enum flt_mode flt_switch_mode(void)
{
	return READ_ONCE(current_mode);
}
