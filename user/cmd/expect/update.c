// SPDX-License-Identifier: GPL-2.0-or-later
/* update.c - run the command several times, and write the largest counts plus slack as limits. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "cmd/expect/expect.h"
#include "text/text_file.h"

/* The budget of a new file. Rules of kinds need the module. */
#define NEW_BUDGET                                                                          \
	"# Fault budget, written by 'fltctl expect --update'. Add rules for threads, functions\n" \
	"# and marks, and run --update again: see fltctl-expect(8).\n"                       \
	"major <= 0\n"                                                                       \
	"minor <= 0\n"
#define NEW_BUDGET_KINDS "anon <= 0\ncow <= 0\nfile <= 0\nrefault <= 0\n"

struct count {
	uint64_t least, most;
};

struct update {
	struct flt_run *run;
	const struct expect_args *args;
	const char *path;
	struct flt_budget budget;
	char *text;
	size_t length;
	struct stat before;	/* of the file; all zero: the file did not exist */
	struct count *counts;	/* per rule */
	uint64_t *limits;	/* per rule; ~0: kept as it is */
};

/* Return true if --update may change the limit. Other operators are statements of their author. */
static bool is_measured(const struct flt_rule *r)
{
	return r->op == FLT_BUDGET_AT_MOST || r->op == FLT_BUDGET_LESS;
}

/* Read the budget, or begin a new one. */
static int read_budget(struct update *u)
{
	const bool module = u->run->control && u->args->engine != FLT_CAPTURE_PERF;
	struct stat link;
	int err;

	if (!stat(u->path, &u->before) && !S_ISREG(u->before.st_mode))
		return flt_command_misuse(u->run->command, "invalid budget %s: not a regular file",
					  u->path);
	if (!u->before.st_ino && !lstat(u->path, &link))
		return flt_command_misuse(u->run->command, "invalid budget %s: a symbolic link to "
					  "a missing file", u->path);
	if (u->before.st_ino || errno != ENOENT)
		return expect_read(u->run, u->path, &u->budget, &u->text, &u->length);
	if (asprintf(&u->text, "%s%s", NEW_BUDGET, module ? NEW_BUDGET_KINDS : "") < 0) {
		u->text = NULL;
		return flt_command_fail(u->run->command, NULL, -ENOMEM);
	}
	u->length = strlen(u->text);
	err = flt_budget_parse(&u->budget, u->text, u->length, u->path, 1, NULL);
	return err ? flt_command_fail(u->run->command, NULL, err) : FLT_EXIT_DONE;
}

/* Report before the runs that the file cannot be written after them. Return the exit status. */
static int check_file(const struct update *u)
{
	char *real = realpath(u->path, NULL);
	const int error = output_denied(real ? real : u->path, true);

	free(real);
	if (!error)
		return FLT_EXIT_DONE;
	flt_command_say(u->run->command, "cannot write %s: %s%s", u->path, strerror(error),
			output_hint(error));
	return flt_exit_of(-error);
}

/* Add the counts of a run. Report rules without a count. Return the exit status. */
static int add_run(struct update *u, const struct expect_run *r,
		   const struct expect_result *results, uint64_t number)
{
	const struct expect_result *result;
	struct count *c;
	size_t i;

	if (r->command_status) {
		flt_command_say(u->run->command, "cannot update %s: run %" PRIu64 " of the command "
				"ended with status %d", u->path, number, r->command_status);
		return r->command_status;
	}
	for (i = 0; i < u->budget.count; i++) {
		result = &results[i];
		c = &u->counts[i];
		if (result->why[0]) {
			flt_command_say(u->run->command, "cannot update %s: run %" PRIu64 ": %s: "
					"%s", u->path, number, result->rule->text, result->why);
			return FLT_EXIT_UNSUPPORTED;
		}
		if (number == 1 || result->count < c->least)
			c->least = result->count;
		if (result->count > c->most)
			c->most = result->count;
	}
	return FLT_EXIT_DONE;
}

static int run_once(struct update *u, uint64_t number)
{
	struct expect_result *results = NULL;
	struct expect_run r;
	int err, status = expect_run(&r, u->run, u->args, &u->budget);

	/* The command may have ended well nevertheless. */
	if (r.marks.interrupted) {
		flt_command_say(u->run->command, "cannot update %s: interrupted by signal %d",
				u->path, r.marks.interrupted);
		status = 128 + r.marks.interrupted;
	}
	if (!status) {
		err = expect_judge(&r, &results);
		status = err ? flt_command_fail(u->run->command, NULL, err) :
			 add_run(u, &r, results, number);
	}
	expect_results_free(results, u->budget.count);
	expect_run_free(&r);
	return status;
}

/* Return true if another program wrote the file since it was read. */
static bool is_changed(const struct update *u)
{
	struct stat now = { 0 };

	if (stat(u->path, &now))
		return u->before.st_ino;
	return now.st_ino != u->before.st_ino || now.st_dev != u->before.st_dev ||
	       now.st_size != u->before.st_size ||
	       now.st_mtim.tv_sec != u->before.st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != u->before.st_mtim.tv_nsec;
}

/* Give the file the owner and mode of the one that it replaces, or those of a new file. */
static int set_owner(const struct update *u, int fd)
{
	const mode_t mask = umask(0);
	mode_t mode = 0666 & ~mask;

	umask(mask);
	if (u->before.st_ino) {
		mode = u->before.st_mode & 0777;
		/* Without the right to do so, the file is ours. */
		if (fchown(fd, u->before.st_uid, u->before.st_gid) && errno != EPERM)
			return -errno;
	}
	return fchmod(fd, mode) ? -errno : 0;
}

static int write_text(const struct update *u, int fd)
{
	int err = set_owner(u, fd);
	FILE *out = err ? NULL : fdopen(fd, "w");

	if (!out) {
		close(fd);
		return err ? err : -ENOMEM;
	}
	flt_budget_rewrite(&u->budget, u->text, u->length, u->limits, out);
	return flt_text_file_close(out);
}

/*
 * Replace the file, so that no reader sees a part of it. Of a symbolic link, replace the target.
 * -ESTALE: another program changed the file. Return -errno.
 */
static int write_file(const struct update *u)
{
	char *real = u->before.st_ino ? realpath(u->path, NULL) : strdup(u->path);
	char path[PATH_MAX];
	int fd, err;

	if (!real)
		return -errno;
	if (snprintf(path, sizeof(path), "%s.XXXXXX", real) >= (int)sizeof(path)) {
		err = -ENAMETOOLONG;
		goto out_real;
	}
	fd = mkostemp(path, O_CLOEXEC);
	err = fd < 0 ? -errno : write_text(u, fd);
	if (fd < 0)
		goto out_real;
	if (!err && is_changed(u))
		err = -ESTALE;
	if (!err && rename(path, real))
		err = -errno;
	if (err)
		unlink(path);
out_real:
	free(real);
	return err;
}

struct row {
	const char *rule;
	uint64_t least, most, limit;
	bool varied;
};

enum { OF_LIMIT = 1 };

#define AT(member) FLT_AT(struct row, member)

static const struct flt_column columns[] = {
	{ "least", "LEAST", 8, FLT_COLUMN_COUNT, AT(least) },
	{ "most", "MOST", 8, FLT_COLUMN_COUNT, AT(most) },
	{ "varied", "VARIED", -6, FLT_COLUMN_BOOL, AT(varied) },
	{ "limit", "LIMIT", 8, FLT_COLUMN_COUNT, AT(limit), .known_if = OF_LIMIT },
	{ "rule", "RULE", -20, FLT_COLUMN_STRING, AT(rule) },
	{ 0 },
};

/* Write the counts. Return the exit status: that of the rules whose limits were kept. */
static int report(const struct update *u)
{
	const struct flt_command *command = u->run->command;
	struct flt_table *table = NULL;
	size_t i, varied = 0;
	FILE *out;
	int err, error = 0, status = output_open(&out, command, u->args->output);

	if (status)
		return status;
	err = flt_table_new(&table, out, &u->args->style, columns, 0);
	for (i = 0; !err && i < u->budget.count; i++) {
		const struct flt_rule *rule = &u->budget.rules[i];
		const struct count *c = &u->counts[i];
		const struct row row = {
			.rule = rule->text, .least = c->least, .most = c->most,
			.limit = u->limits[i], .varied = c->least != c->most,
		};

		varied += row.varied;
		err = flt_table_row(table, &row, u->limits[i] == ~0ull ? 0 : OF_LIMIT);
		if (u->limits[i] != ~0ull)
			continue;
		if (flt_budget_judge(rule, c->least, c->least) ||
		    flt_budget_judge(rule, c->most, c->most)) {
			flt_command_say(command, "%s:%" PRIu32 ": broken by a run, and not "
					"changed: %s", rule->file, rule->line, rule->text);
			status = EXPECT_EXIT_BROKEN;
		}
	}
	if (table)
		flt_table_flush(table, true);
	output_failed(out, &error);
	flt_table_free(table);
	if (err)
		status = flt_command_fail(command, NULL, err);
	else
		flt_command_say(command, "wrote %s from %" PRIu64 " run%s; %zu of %zu counts "
				"varied", u->path, u->args->runs, u->args->runs == 1 ? "" : "s",
				varied, u->budget.count);
	return output_close(out, command, u->args->output, error, status);
}

/* Return true if -o would overwrite the budget. */
static bool is_output(const struct update *u)
{
	const char *output = u->args->output;
	struct stat st;

	if (!output)
		return false;
	return !strcmp(output, u->path) || (!stat(output, &st) && st.st_ino == u->before.st_ino &&
					    st.st_dev == u->before.st_dev);
}

/* Write the limits and report. Return the exit status. */
static int finish(struct update *u)
{
	const int err = write_file(u);

	if (!err)
		stat(u->path, &u->before);
	/* Two names of a file that did not exist could not be compared before. */
	if (!err && is_output(u))
		return flt_command_misuse(u->run->command, "invalid -o %s: the budget itself",
					  u->args->output);
	if (!err)
		return report(u);
	if (err == -ESTALE)
		flt_command_say(u->run->command, "cannot update %s: another program changed the "
				"file during the runs (run --update again)", u->path);
	else
		flt_command_say(u->run->command, "cannot write %s: %s", u->path, strerror(-err));
	return err == -ESTALE ? FLT_EXIT_FAILED : flt_exit_of(err);
}

int expect_update(struct flt_run *run, const struct expect_args *args, const char *path)
{
	struct update u = { .run = run, .args = args, .path = path };
	uint64_t number;
	size_t i;
	int status = read_budget(&u);

	if (!status && is_output(&u))
		status = flt_command_misuse(run->command, "invalid -o %s: the budget itself",
					    args->output);
	if (!status)
		status = check_file(&u);
	u.counts = calloc(u.budget.count + 1, sizeof(*u.counts));
	u.limits = calloc(u.budget.count + 1, sizeof(*u.limits));
	if (!status && (!u.counts || !u.limits))
		status = flt_command_fail(run->command, NULL, -ENOMEM);
	for (number = 1; !status && number <= args->runs; number++)
		status = run_once(&u, number);
	for (i = 0; !status && i < u.budget.count; i++)
		u.limits[i] = is_measured(&u.budget.rules[i]) ?
			      flt_budget_slack(u.counts[i].most, args->slack) : ~0ull;
	if (!status)
		status = finish(&u);
	flt_budget_free(&u.budget);
	free(u.text);
	free(u.counts);
	free(u.limits);
	return status;
}
