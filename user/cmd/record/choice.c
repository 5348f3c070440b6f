// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/record/choice.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/record/runtime.h"
#include "cmd/record/target.h"
#include "limit/group.h"
#include "limit/swap.h"
#include "text/shell.h"
#include "text/units.h"

/* Return 0 if the recorder limits most of the program's memory, or -EOPNOTSUPP with the reason. */
static int reaches(const char *program, struct flt_errmsg *e)
{
	const char *runtime;
	int err = flt_record_target_check(program, e);

	if (err)
		return err;
	runtime = flt_record_runtime(program);
	if (!runtime)
		return 0;
	return flt_errmsg_set(e, -EOPNOTSUPP, "cannot limit most of the memory of %s by "
			      "preloading: %s", program, runtime);
}

/* Return 0 if a cgroup can limit without changing swap. */
static int permitted(struct flt_errmsg *e)
{
	int err = flt_group_may(e);

	if (!err && !flt_swap_exists())
		err = flt_errmsg_set(e, -EOPNOTSUPP, "missing swap");
	return err;
}

int flt_record_choose(const struct flt_run *run, struct flt_record_args *args)
{
	struct flt_errmsg why = { "" }, missing = { "" };
	char size[FLT_UNITS_TEXT], *command;
	int err;

	args->by_cgroup = args->engine == FLT_RECORD_ENGINE_CGROUP || args->cgroup;
	if (args->by_cgroup || args->engine != FLT_RECORD_ENGINE_AUTO ||
	    !reaches(run->words.command[0], &why))
		return FLT_EXIT_DONE;
	if (args->latency || args->bandwidth || args->sample || args->policy >= 0)
		return flt_command_fail(run->command, &why, -EOPNOTSUPP);
	err = permitted(&missing);
	args->by_cgroup = !err;
	if (!err) {
		flt_command_say(run->command, "%s; using a cgroup instead", why.text);
		return FLT_EXIT_DONE;
	}
	flt_command_say(run->command, "%s", why.text);
	flt_command_say(run->command, "cannot use a cgroup instead: %s", missing.text);
	command = flt_shell_quote(run->words.command);
	if (!command)
		return flt_command_fail(run->command, &why, -ENOMEM);
	flt_command_say(run->command, "to limit all memory of the command, creating swap while it "
			"runs: sudo fltctl record --engine=cgroup -L %s -- %s",
			args->limit ? flt_units_write_size(size, args->limit) : "SIZE", command);
	free(command);
	return FLT_EXIT_UNSUPPORTED;
}
