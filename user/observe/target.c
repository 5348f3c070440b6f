// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/target.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/types.h>

#include "source/proc/cgroup.h"
#include "source/proc/procfs.h"
#include "text/units.h"

#define INTERVAL_HINT "expected e.g. 500ms or 2s; put a command after '--'"

static int read_interval(struct flt_target *t, const char *word)
{
	uint64_t least = 0, most = UINT64_MAX;

	if (flt_units_read_duration(word, FLT_NSEC_PER_SEC, &t->interval))
		return flt_command_misuse(t->command, "invalid interval '%s' (" INTERVAL_HINT ")",
					  word);
	flt_units_read_duration(t->least, FLT_NSEC_PER_SEC, &least);
	if (t->most)
		flt_units_read_duration(t->most, FLT_NSEC_PER_SEC, &most);
	if (t->interval < least)
		return flt_command_misuse(
			t->command, "invalid interval '%s' (expected at least %s)", word, t->least);
	if (t->interval > most)
		return flt_command_misuse(t->command, "invalid interval '%s' (expected at most %s)",
					  word, t->most);
	return FLT_EXIT_DONE;
}

static int read_words(struct flt_target *t, const struct flt_words *words)
{
	int taken = t->takes_file ? 1 : t->least ? 2 : 0, status;

	if (words->argc > taken)
		return flt_command_misuse(t->command, "unexpected argument '%s'%s",
					  words->argv[taken],
					  t->takes_command ? " (put a command after '--')" : "");
	if (t->takes_file) {
		t->file = words->argc ? words->argv[0] : NULL;
		return FLT_EXIT_DONE;
	}
	if (words->argc > 0) {
		status = read_interval(t, words->argv[0]);
		if (status)
			return status;
	}
	if (words->argc > 1 && (flt_units_read_u64(words->argv[1], &t->count) || !t->count))
		return flt_command_misuse(t->command,
					  "invalid count '%s' (expected a number of %s)",
					  words->argv[1], t->counted);
	return FLT_EXIT_DONE;
}

/* Collect the targets that were given. Return their number. */
static size_t list_targets(const struct flt_target *t, const char *given[5])
{
	size_t n = 0;

	if (t->file)
		given[n++] = "a recording";
	if (t->all && !(t->all_with_command && t->argv))
		given[n++] = "-a";
	if (t->pids->count)
		given[n++] = "-p";
	if (t->cgroup)
		given[n++] = "--cgroup";
	if (t->argv)
		given[n++] = "a command";
	return n;
}

/* Check --cgroup before the module is asked, so that a wrong name is reported as such. */
static int check_cgroup(const struct flt_target *t)
{
	struct flt_errmsg e = { "" };
	uint64_t id;
	int ret = t->cgroup && !t->any_cgroup ? flt_cgroup_id(t->cgroup, &id, &e) : 0;

	if (ret == -EINVAL)
		return flt_command_misuse(t->command, "%s", flt_errmsg_text(&e, ret));
	return ret ? flt_command_fail(t->command, &e, ret) : FLT_EXIT_DONE;
}

int flt_target_read(struct flt_target *t, const struct flt_words *words)
{
	const char *given[5];
	size_t n;
	int status = read_words(t, words);

	if (status)
		return status;
	t->argv = words->command;
	if (t->argv && !t->takes_command)
		return flt_command_misuse(t->command, "unexpected command '%s': %s runs no command",
					  t->argv[0], t->command->name);
	n = list_targets(t, given);
	if (n > 1)
		return flt_command_misuse(t->command, "%s and %s exclude each other", given[0],
					  given[1]);
	if (!n && t->missing)
		return flt_command_misuse(t->command, "missing target: give %s", t->missing);
	if (t->follow && !t->pids->count)
		return flt_command_misuse(t->command, "--follow needs -p");
	return check_cgroup(t);
}

int flt_target_check_pids(const struct flt_command *command, const struct flt_ids *pids)
{
	uint32_t id, tgid;
	size_t i;

	for (i = 0; i < pids->count; i++) {
		id = pids->id[i];
		if (flt_procfs_process_of(id, &tgid))
			flt_command_say(command, "invalid PID %" PRIu32 ": no such process", id);
		else if (tgid != id)
			flt_command_say(command, "invalid PID %" PRIu32 ": a thread of process %"
					PRIu32 " (give -p %" PRIu32 ")", id, tgid, tgid);
		else
			continue;
		return FLT_EXIT_FAILED;
	}
	return FLT_EXIT_DONE;
}

bool flt_target_ended(const struct flt_ids *pids)
{
	size_t i;

	for (i = 0; i < pids->count; i++)
		if (!flt_procfs_ended(pids->id[i]))
			return false;
	return true;
}
