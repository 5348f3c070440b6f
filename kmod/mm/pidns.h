/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pidns - the PID namespace of a reader, and the numbers that processes have in it.
 *
 * A reader in a PID namespace sees the processes of that namespace and of those nested in it,
 * and no other process. PIDs in requests and replies are numbers of that namespace.
 */
#ifndef FLT_PIDNS_H
#define FLT_PIDNS_H

#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

/* Readers in namespaces that are nested deeper are refused. */
#define FLT_PIDNS_LEVELS 4

struct flt_pidns {
	struct pid_namespace *ns;	/* holds a reference; NULL: the initial one */
	u64 since;			/* CLOCK_BOOTTIME ns: start of its first process */
};

/* A reader in the initial namespace. */
extern const struct flt_pidns flt_pidns_initial;

/* Return true if current is not in the initial namespace. */
static inline bool flt_pidns_is_inner(void)
{
	return task_active_pid_ns(current) != &init_pid_ns;
}

/* Return true if current may be a reader. */
static inline bool flt_pidns_is_served(void)
{
	return task_active_pid_ns(current)->level <= FLT_PIDNS_LEVELS;
}

/* Remember the namespace of current, which is served. */
void flt_pidns_get(struct flt_pidns *reader);
void flt_pidns_put(struct flt_pidns *reader);

/* Return true if current may read what @reader asked for. */
static inline bool flt_pidns_is_open(const struct flt_pidns *reader)
{
	return !flt_pidns_is_inner() || reader->ns == task_active_pid_ns(current);
}

/* Return the TGID and TID that the reader knows. They are 0 for a thread it does not see. */
static inline pid_t flt_pidns_tgid(const struct flt_pidns *reader, struct task_struct *task)
{
	return reader->ns ? task_tgid_nr_ns(task, reader->ns) : task->tgid;
}

static inline pid_t flt_pidns_tid(const struct flt_pidns *reader, struct task_struct *task)
{
	return reader->ns ? task_pid_nr_ns(task, reader->ns) : task->pid;
}

/* Return the live process that the reader knows by a number, with a reference, or NULL. */
struct task_struct *flt_pidns_find(const struct flt_pidns *reader, pid_t tgid);

/*
 * The numbers of a process in the namespaces below the initial one, which must be known after
 * the process has ended. A reference to its struct pid would keep its namespaces, and they
 * count against the limits of users.
 */
struct flt_pidns_ids {
	struct {
		u32 inum;	/* number of the namespace, which may be reused later; 0: none */
		pid_t tgid;
	} level[FLT_PIDNS_LEVELS];
};

void flt_pidns_record(struct flt_pidns_ids *ids, struct task_struct *leader);

/*
 * Return the number that the process with @ids, @start (its start_boottime) and @tgid (in the
 * initial namespace) has or had in the namespace of the reader, or 0.
 */
static inline pid_t flt_pidns_recall(const struct flt_pidns *reader,
				     const struct flt_pidns_ids *ids, u64 start, pid_t tgid)
{
	u32 i;

	if (!reader->ns)
		return tgid;
	i = reader->ns->level - 1;
	/* A process that is older belonged to an earlier namespace with the same number. */
	return ids->level[i].inum == reader->ns->ns.inum && start >= reader->since ?
	       ids->level[i].tgid : 0;
}

#endif
