// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/loss.h"

#include <inttypes.h>
#include <string.h>

struct cause {
	size_t offset;		/* in struct flt_loss */
	const char *what;
	const char *one, *many;	/* unit of the count; NULL: the count has no meaning */
	const char *remedy;	/* or consequence; may be NULL */
};

#define AT(member) offsetof(struct flt_loss, member)
#define PROBE_REMEDY "load flt with a larger maxactive"

#define CALLS "call", "calls"
#define FAULTS "fault", "faults"
#define PROCESSES "process", "processes"

static const struct cause causes[] = {
	{ AT(missed), "kind and latency unknown", FAULTS, NULL },
	{ AT(lost_full), "probe missed, too many at once", CALLS, PROBE_REMEDY },
	{ AT(lost_busy), "probe missed, another probe ran on the CPU", CALLS, NULL },
	{ AT(calls), "probe missed", CALLS, PROBE_REMEDY },
	{ AT(unseen), "probe missed", FAULTS, PROBE_REMEDY },
	{ AT(hooks), "hooks missed", CALLS, NULL },
	{ AT(lost_proc), "no memory to count by process", FAULTS, NULL },
	{ AT(lost_task), "no memory to count by thread", FAULTS, NULL },
	{ AT(untracked), "no memory to count by process", "process of the command",
	  "processes of the command", "their faults are missing" },
	{ AT(vanished), "ended between two snapshots", PROCESSES,
	  "their last faults are missing" },
	{ AT(forgotten), "ended processes that left the table may have been among these",
	  "process of the machine", "processes of the machine",
	  "load flt with a larger max_procs" },
	{ AT(unplaced), "the cgroup was removed before it was seen", PROCESSES,
	  "their faults are missing if it was below --cgroup" },
	{ AT(torn), "rows were retired while they were read", NULL, NULL, NULL },
	{ AT(threads), "threads not shown, because too many processes faulted in an interval",
	  NULL, NULL, NULL },
	{ AT(faults), "buffers full", FAULTS, "use larger buffers, -b and -B" },
	{ AT(streamed), "buffers full", "fault of the stream", "faults of the stream", NULL },
	{ AT(slow), "buffers full", "slow fault of the stream", "slow faults of the stream",
	  "the list of the slowest may lack some" },
	{ AT(notes), "buffers full, or names were being changed", "note", "notes",
	  "some names, stacks or mappings are missing" },
	{ AT(samples), "overwritten before they were read", "sample", "samples", NULL },
	{ AT(untraced), "tracker full", PROCESSES, NULL },
	{ AT(unreadable), "not readable", "child process", "child processes", NULL },
	{ AT(childless), "children are missing, because this kernel does not list them", NULL,
	  NULL, "CONFIG_PROC_CHILDREN" },
	{ AT(recorded), "not in the recording", "fault or stack", "faults or stacks", NULL },
	{ AT(stacks), "too many different stacks to keep all frames", "stack", "stacks", NULL },
	{ AT(uncovered), "less than half of the memory was under the limit", NULL, NULL,
	  NULL },
	{ AT(unlimited), "not limited and not recorded", PROCESSES, NULL },
	{ AT(unfollowed), "perf events end at an exec with other credentials", PROCESSES,
	  "load the flt module: modprobe flt" },
	{ AT(reuse), "too many pages to remember", FAULTS,
	  "they may be first touches or refaults" },
};
#define CAUSES (sizeof(causes) / sizeof(causes[0]))

static uint64_t count_of(const struct flt_loss *loss, const struct cause *c)
{
	uint64_t count;

	memcpy(&count, (const char *)loss + c->offset, sizeof(count));
	return count;
}

/* Write "CAUSE: N UNIT (REMEDY)". */
static void write_cause(char text[FLT_LOSS_TEXT], const struct flt_loss *loss,
			const struct cause *c)
{
	const uint64_t count = count_of(loss, c);
	const uint64_t of = c->offset == AT(faults) ? loss->of : 0;
	int n = snprintf(text, FLT_LOSS_TEXT, "%s", c->what);

	if (c->many)
		n += snprintf(text + n, FLT_LOSS_TEXT - (size_t)n, ": %" PRIu64, count);
	if (of)
		n += snprintf(text + n, FLT_LOSS_TEXT - (size_t)n, " of %" PRIu64, of);
	if (c->many)
		n += snprintf(text + n, FLT_LOSS_TEXT - (size_t)n, " %s",
			      (of ? of : count) == 1 ? c->one : c->many);
	if (c->remedy)
		snprintf(text + n, FLT_LOSS_TEXT - (size_t)n, " (%s)", c->remedy);
}

bool flt_loss_any(const struct flt_loss *loss)
{
	size_t i;

	for (i = 0; i < CAUSES; i++)
		if (count_of(loss, &causes[i]))
			return true;
	return false;
}

int flt_loss_print(const struct flt_loss *loss, FILE *out)
{
	const char *separator = "";
	char text[FLT_LOSS_TEXT];
	size_t i;

	if (!flt_loss_any(loss)) {
		fputs("lost   nothing\n", out);
		return FLT_EXIT_DONE;
	}
	fputs("lost   ", out);
	for (i = 0; i < CAUSES; i++) {
		if (!count_of(loss, &causes[i]))
			continue;
		write_cause(text, loss, &causes[i]);
		fprintf(out, "%s%s", separator, text);
		separator = "; ";
	}
	fputs(": the result is incomplete\n", out);
	return FLT_EXIT_INCOMPLETE;
}

bool flt_loss_write(char text[FLT_LOSS_TEXT], const struct flt_loss *loss)
{
	size_t i;

	for (i = 0; i < CAUSES; i++) {
		if (!count_of(loss, &causes[i]))
			continue;
		write_cause(text, loss, &causes[i]);
		return true;
	}
	return false;
}

int flt_loss_say(const struct flt_loss *loss, const struct flt_command *command)
{
	char text[FLT_LOSS_TEXT];
	size_t i;

	for (i = 0; i < CAUSES; i++) {
		if (!count_of(loss, &causes[i]))
			continue;
		write_cause(text, loss, &causes[i]);
		flt_command_say(command, "incomplete: %s", text);
	}
	return flt_loss_any(loss) ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}

void flt_loss_say_absent(const struct flt_command *command, const char *unknown,
			 const char *symbol, const char *hook)
{
	flt_command_say(command, "unknown: %s, because this kernel has no usable %s (hook '%s')",
			unknown, symbol, hook);
}
