// SPDX-License-Identifier: GPL-2.0-or-later
#include "schedule.h"

#include "image/clock.h"
#include "image/image.h"
#include "image/lock.h"
#include "region/region.h"
#include "thread/solo.h"

#include <sched.h>
#include <sys/resource.h>

/*
 * If faults wait longer for the server, in the mean, path A is no worse: that is the time of its
 * interrupt in a virtual machine. Tested after so many faults, or when their sum is larger.
 */
#define DEAR_NS 15000u
#define FAULTS  1024u

/*
 * Programs that end sooner use path A only. Beside other programs, a fault may wait for a time
 * slice before the server runs, and a short program has no time to find that out.
 */
#define PATIENCE_NS   10000000ULL
#define PAUSE_NS      1000000000ULL
#define PAUSE_NS_MOST (64 * PAUSE_NS)

static struct {
	int cpu_seen, cpu_set;
	int policy;		/* of the program when the server began */
	bool may_idle;		/* the server can leave SCHED_IDLE again */
	bool idle;		/* the server is of SCHED_IDLE now */
	uint64_t spent;		/* ns until the server ran, of the last `faults` faults */
	unsigned int faults;
	bool late;		/* the last faults took too long */
	uint64_t until;		/* no attempt before that time */
	uint64_t pause;		/* ns until the next attempt, if this one fails */
} state;

static int set_policy(int policy)
{
	struct sched_param p = { 0 };

	return (int)sys3(SYS_sched_setscheduler, 0, policy, &p);
}

/*
 * To leave SCHED_IDLE, a task needs the right to lower its nice value. So try to do that. (The
 * system call returns 20 minus the nice value.)
 */
static bool may_lower_nice(void)
{
	long nice = 20 - sys2(SYS_getpriority, PRIO_PROCESS, 0);

	return !sys3(SYS_setpriority, PRIO_PROCESS, 0, nice - 1) &&
	       !sys3(SYS_setpriority, PRIO_PROCESS, 0, nice);
}

void rec_schedule_reset(void)
{
	state.cpu_seen = state.cpu_set = -1;
	state.policy = (int)sys1(SYS_sched_getscheduler, 0);
	/* A server of SCHED_IDLE inherits that from the program. */
	state.may_idle = (state.policy == SCHED_OTHER || state.policy == SCHED_BATCH) &&
			 may_lower_nice();
	state.idle = false;
	state.spent = state.faults = 0;
	state.late = false;
	state.until = rec_now() + PATIENCE_NS;
	state.pause = PAUSE_NS;
}

void rec_schedule_follow(uint16_t cpu)
{
	uint64_t mask[16] = { 0 };

	/* Only after two faults on one CPU, so that alternating threads do not cause moves. */
	if (cpu == state.cpu_seen && cpu != state.cpu_set && cpu < 1024) {
		mask[cpu / 64] = 1ULL << cpu % 64;
		if (sys3(SYS_sched_setaffinity, 0, sizeof(mask), mask) >= 0)
			state.cpu_set = cpu;
	}
	state.cpu_seen = cpu;
}

static void set_idle(bool idle)
{
	if (idle != state.idle && !set_policy(idle ? SCHED_IDLE : state.policy))
		state.idle = idle;
}

/* Let the thread resolve its faults, or the server again. */
static void hand_over(bool to_thread)
{
	if (!rec_lock_try_briefly(&rec_pager_lock, (uint32_t)rec_image.server_pid))
		return;
	if (to_thread)
		rec_solo_arm();
	else
		rec_solo_disarm();
	rec_lock_release(&rec_pager_lock);
}

void rec_schedule_choose(bool busy)
{
	bool attempt = state.may_idle && rec_now() >= state.until && rec_solo_is_alone();

	if (!busy && attempt && rec_solo_is_armed())
		hand_over(false);
	else if (!busy && !attempt && rec_threads.inlined && rec_solo_is_served())
		hand_over(true);
	set_idle(attempt && !busy && rec_solo_is_served());
}

bool rec_schedule_is_idle(void)
{
	return state.idle && !state.late;
}

void rec_schedule_note(uint64_t ns)
{
	if (!state.idle)
		return;
	state.spent += ns;
	state.late = state.spent > (uint64_t)FAULTS * DEAR_NS;
	if (state.late) {
		state.until = rec_now() + state.pause;
		if (state.pause < PAUSE_NS_MOST)
			state.pause *= 2;
	}
	if (state.late || ++state.faults == FAULTS)
		state.spent = state.faults = 0;
}
