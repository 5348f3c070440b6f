// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/loss.h"

#include <inttypes.h>
#include <string.h>

#define LOSS_TEXT 256

struct cause {
	size_t offset;		/* in struct flt_loss */
	const char *what;
	const char *unit;	/* NULL: the number says nothing */
	const char *remedy;	/* or consequence; may be NULL */
};

#define AT(member) offsetof(struct flt_loss, member)
#define PROBE_REMEDY "load flt with a larger maxactive"

static const struct cause causes[] = {
	{ AT(missed), "kind and latency unknown", "faults", NULL },
	{ AT(lost_full), "probe missed, too many at once", "calls", PROBE_REMEDY },
	{ AT(lost_busy), "probe missed, another probe ran on the CPU", "calls", NULL },
	{ AT(calls), "probe missed", "calls", PROBE_REMEDY },
	{ AT(unseen), "probe missed", "faults", PROBE_REMEDY },
	{ AT(hooks), "hooks missed", "calls", NULL },
	{ AT(lost_proc), "process table full", "faults", NULL },
	{ AT(lost_task), "thread table full", "faults", NULL },
	{ AT(untracked), "process table full", "processes of the command",
	  "their faults are missing" },
	{ AT(vanished), "ended between two snapshots", "processes",
	  "their last faults are missing" },
	{ AT(torn), "rows were retired while they were read", NULL, NULL },
	{ AT(threads), "more processes faulted in an interval than threads are shown of", NULL,
	  NULL },
	{ AT(faults), "buffers full", "faults", "use larger buffers, -b and -B" },
	{ AT(streamed), "buffers full", "faults of the stream", NULL },
	{ AT(slow), "buffers full", "slow faults of the stream",
	  "the list of the slowest may lack some" },
	{ AT(notes), "buffers full", "notes", "some names, stacks or mappings are missing" },
	{ AT(samples), "overwritten before they were read", "samples", NULL },
	{ AT(untraced), "tracker full", "processes", NULL },
	{ AT(unreadable), "not readable", "child processes", NULL },
	{ AT(childless), "children are missing, because this kernel does not list them", NULL,
	  "CONFIG_PROC_CHILDREN" },
	{ AT(recorded), "not in the recording", "faults or stacks", NULL },
	{ AT(unlimited), "not limited and not recorded", "processes", NULL },
	{ AT(reuse), "too many pages to remember", "faults",
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
static void write_cause(char text[LOSS_TEXT], const struct flt_loss *loss, const struct cause *c)
{
	const uint64_t count = count_of(loss, c);
	const bool part = c->offset == AT(faults) && loss->of;
	int n = snprintf(text, LOSS_TEXT, "%s", c->what);

	if (c->unit)
		n += snprintf(text + n, LOSS_TEXT - (size_t)n, ": %" PRIu64, count);
	if (part)
		n += snprintf(text + n, LOSS_TEXT - (size_t)n, " of %" PRIu64, loss->of);
	if (c->unit)
		n += snprintf(text + n, LOSS_TEXT - (size_t)n, " %s", c->unit);
	if (c->remedy)
		snprintf(text + n, LOSS_TEXT - (size_t)n, " (%s)", c->remedy);
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
	char text[LOSS_TEXT];
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

int flt_loss_say(const struct flt_loss *loss, const struct flt_command *command)
{
	char text[LOSS_TEXT];
	size_t i;

	for (i = 0; i < CAUSES; i++) {
		if (!count_of(loss, &causes[i]))
			continue;
		write_cause(text, loss, &causes[i]);
		flt_command_say(command, "incomplete: %s", text);
	}
	return flt_loss_any(loss) ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}
