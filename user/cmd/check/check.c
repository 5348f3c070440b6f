// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/check/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/command.h"
#include "text/escape.h"
#include "view/table/table.h"

struct arguments {
	struct flt_table_style style;
	bool repair;
};

static const struct flt_opt opts[] = {
	{ .name = "repair", .type = FLT_OPT_FLAG, .offset = offsetof(struct arguments, repair),
	  .help = "Undo what killed runs of 'fltctl record --engine=cgroup' left behind: limits, "
		  "swap and settings. A power failure leaves nothing behind." },
	FLT_TABLE_OPTS(struct arguments, style),
	{ 0 },
};

static const char *const result_names[] = {
	[CHECK_OK] = "ok", [CHECK_WARN] = "warn", [CHECK_NO] = "no", [CHECK_SKIPPED] = "-",
};

int check_add(struct check *c, const char *name, enum check_result result, int status,
	      const char *fix, const char *fmt, ...)
{
	struct check_finding *grown, *finding;
	va_list ap;

	grown = reallocarray(c->findings, c->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	c->findings = grown;
	finding = &grown[c->count++];
	*finding = (struct check_finding){ .result = result, .status = status };
	snprintf(finding->name, sizeof(finding->name), "%s", name);
	va_start(ap, fmt);
	vsnprintf(finding->detail, sizeof(finding->detail), fmt, ap);
	va_end(ap);
	if (fix && result != CHECK_OK)
		snprintf(finding->fix, sizeof(finding->fix), "%s", fix);
	return 0;
}

static void write_text(const struct check *c)
{
	char detail[1024], fix[1024], name[128];
	const struct check_finding *f;
	size_t i;

	for (i = 0; i < c->count; i++) {
		f = &c->findings[i];
		flt_escape_text(name, sizeof(name), f->name, strlen(f->name));
		flt_escape_text(detail, sizeof(detail), f->detail, strlen(f->detail));
		printf("%-5s %-14s %s\n", result_names[f->result], name, detail);
		if (!f->fix[0])
			continue;
		flt_escape_text(fix, sizeof(fix), f->fix, strlen(f->fix));
		printf("%20s fix: %s\n", "", fix);
	}
}

static const char *result_name(uint32_t result)
{
	return result_names[result];
}

#define AT(member) FLT_AT(struct check_finding, member)

static const struct flt_column columns[] = {
	{ "check", NULL, 0, FLT_COLUMN_CHARS, AT(name) },
	{ "result", NULL, 0, FLT_COLUMN_NAME, AT(result), .name = result_name },
	{ "detail", NULL, 0, FLT_COLUMN_CHARS, AT(detail) },
	{ "fix", NULL, 0, FLT_COLUMN_CHARS, AT(fix), .zero_unknown = true },
	{ 0 },
};

static int write_data(const struct check *c, const struct flt_table_style *style)
{
	struct flt_table *table;
	size_t i;
	int ret;

	ret = flt_table_new(&table, stdout, style, columns, 0);
	if (ret)
		return ret;
	for (i = 0; i < c->count && !ret; i++)
		ret = flt_table_row(table, &c->findings[i], 0);
	flt_table_free(table);
	return ret;
}

/*
 * Return the exit status of the most important "no": without the module nothing works, then comes
 * permission, then everything else.
 */
static int status_of(const struct check *c)
{
	static const int order[] = { FLT_EXIT_UNSUPPORTED, FLT_EXIT_PERMISSION, FLT_EXIT_FAILED };
	size_t i, k;

	for (k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (i = 0; i < c->count; i++)
			if (c->findings[i].result == CHECK_NO && c->findings[i].status == order[k])
				return order[k];
	return FLT_EXIT_DONE;
}

static int check_main(struct flt_run *run)
{
	static int (*const checks[])(struct check *c) = {
		check_kernel,	   check_signature,	check_module,	check_permission,
		check_debugfs,	   check_kprobes,	check_hooks,	check_accounting,
		check_fault,	   check_userfaultfd,	check_perf,	check_cgroup,
		check_leftovers,
	};
	const struct arguments *args = run->args;
	struct check c = { .run = run, .repair = args->repair };
	struct utsname name;
	int ret = 0, status;
	size_t i;

	if (run->words.argc || run->words.command)
		return flt_command_misuse(run->command, "unexpected argument '%s' (check takes "
					  "only options)", run->words.argc ?
					  run->words.argv[0] : run->words.command[0]);
	if (!uname(&name))
		snprintf(c.release, sizeof(c.release), "%s", name.release);
	c.installed = !flt_module_find(c.release, "flt", &c.file);
	for (i = 0; i < sizeof(checks) / sizeof(checks[0]) && !ret; i++)
		ret = checks[i](&c);
	if (!ret && args->style.format == FLT_FORMAT_TEXT)
		write_text(&c);
	else if (!ret)
		ret = write_data(&c, &args->style);
	status = ret ? flt_command_fail(run->command, NULL, ret) : status_of(&c);
	free(c.findings);
	return status;
}

const struct flt_command flt_command_check = {
	.name = "check",
	.summary = "check whether this machine can run flt",
	.synopsis = (const char *const[]){ "[--repair] [--json | --csv]", NULL },
	.about = (const char *const[]){
		"Checks whether this machine can run flt, and whether the module counts one real "
		"fault as the kernel does. Each \"no\" comes with a remedy. A \"warn\" affects "
		"only some commands.",
		"The exit status is 0 if everything is fine, 5 if the module is not loaded or "
		"the kernel lacks something essential, 4 if only permission is missing, and 1 "
		"for any other \"no\".",
		NULL },
	.opts = opts,
	.args_size = sizeof(struct arguments),
	.needs = FLT_USES_MODULE,
	.main = check_main,
};
