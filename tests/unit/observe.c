// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the order of the steps of flt_observe_run(), its exit status, and targets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "observe/loss.h"
#include "observe/observe.h"
#include "observe/target.h"

static const struct flt_command command = { .name = "unit" };

struct seen {
	struct flt_observe o;
	char steps[32];		/* the first letter of each callback called */
	int arm, round, stop;	/* return values of the callbacks */
	int stopped_with;
};

static void note(struct seen *s, char step)
{
	size_t n = strlen(s->steps);

	/* Record repeated rounds once. */
	if ((!n || s->steps[n - 1] != step) && n + 1 < sizeof(s->steps))
		s->steps[n] = step;
}

static int arm(void *arg)
{
	struct seen *s = arg;

	note(s, 'a');
	return s->arm;
}

static int on_round(void *arg)
{
	struct seen *s = arg;

	note(s, 'r');
	return s->round;
}

static int stop(void *arg, int err)
{
	struct seen *s = arg;

	note(s, 's');
	s->stopped_with = err;
	return s->stop;
}

static int finish(void *arg)
{
	note(arg, 'f');
	return FLT_EXIT_INCOMPLETE;
}

static int salvage(void *arg, int err)
{
	note(arg, 'v');
	return flt_exit_of(err);
}

static const struct flt_observe_ops ops = {
	.arm = arm, .round = on_round, .stop = stop, .finish = finish, .salvage = salvage,
};

static int run(struct seen *s, char **argv)
{
	int status;

	s->o = (struct flt_observe){
		.command = &command, .ops = &ops, .arg = s, .setup.argv = argv,
		.period = 10000000,
	};
	status = flt_observe_run(&s->o);
	/* The child is reaped, whatever its exit status. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return status;
}

#define SHELL(text) ((char *[]){ (char *)"sh", (char *)"-c", (char *)(text), NULL })

static void command_runs_to_its_end(void **state)
{
	struct seen ok = { 0 }, failed = { 0 }, killed = { 0 };

	(void)state;
	assert_int_equal(run(&ok, SHELL("sleep 0.3")), FLT_EXIT_INCOMPLETE);
	assert_string_equal(ok.steps, "arsf");
	assert_int_equal(run(&failed, SHELL("sleep 0.3; exit 7")), 7);
	assert_string_equal(failed.steps, "arsf");
	assert_int_equal(run(&killed, SHELL("sleep 0.3; kill -9 $$")), 137);
}

static void failed_exec_gives_127_or_126(void **state)
{
	struct seen missing = { 0 }, denied = { 0 };

	(void)state;
	assert_int_equal(run(&missing, (char *[]){ (char *)"/nonexistent", NULL }), 127);
	assert_string_equal(missing.steps, "as");
	assert_int_equal(missing.stopped_with, -ENOENT);
	assert_true(missing.o.not_run);
	assert_int_equal(run(&denied, (char *[]){ (char *)"/etc/passwd", NULL }), 126);
}

/* The command does not run if .arm fails. */
static void failed_arm_prevents_the_command(void **state)
{
	char path[] = "/tmp/flt-arm-XXXXXX";
	struct seen s = { .arm = -EPERM };
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(run(&s, (char *[]){ (char *)"rm", path, NULL }), FLT_EXIT_PERMISSION);
	assert_string_equal(s.steps, "as");
	assert_int_equal(s.stopped_with, -EPERM);
	assert_int_equal(unlink(path), 0);
}

/* A failed .round does not end the command. The command's nonzero exit status counts. */
static void failed_view_keeps_the_command_running(void **state)
{
	struct seen round = { .round = -EPROTO }, last = { .stop = -EPROTO };
	struct seen other = { .round = -EPROTO };

	(void)state;
	assert_int_equal(run(&round, SHELL("sleep 0.3; exit 7")), 7);
	assert_string_equal(round.steps, "arsv");
	assert_int_equal(round.stopped_with, -EPROTO);
	assert_int_equal(run(&other, SHELL("sleep 0.3")), FLT_EXIT_UNSUPPORTED);
	assert_int_equal(run(&last, SHELL("sleep 0.3")), FLT_EXIT_UNSUPPORTED);
	assert_string_equal(last.steps, "arsv");
}

static int arm_and_stop(void *arg)
{
	struct seen *s = arg;

	flt_loop_stop(s->o.loop);
	return arm(arg);
}

static void arm_can_end_the_loop(void **state)
{
	const struct flt_observe_ops at_once = { .arm = arm_and_stop, .round = on_round,
						 .finish = finish };
	struct seen s = { 0 };

	(void)state;
	s.o = (struct flt_observe){ .command = &command, .ops = &at_once, .arg = &s,
				    .period = 1 };
	assert_int_equal(flt_observe_run(&s.o), FLT_EXIT_INCOMPLETE);
	assert_string_equal(s.steps, "af");
}

static int stop_loop(void *arg)
{
	struct seen *s = arg;

	flt_loop_stop(s->o.loop);
	return 0;
}

/* The observation ends before the command, whose output is more than a pipe holds. */
static void output_after_the_loop_is_passed_on(void **state)
{
	const struct flt_observe_ops early = { .round = stop_loop, .finish = finish };
	const struct flt_correlation_args args = { .metric = "lines" };
	const struct flt_table_style style = { 0 };
	int original = dup(STDOUT_FILENO), out = memfd_create("out", 0);
	struct flt_correlation *with;
	struct seen s = { 0 };
	int status;

	(void)state;
	assert_int_equal(flt_correlation_new(&with, &command, &args, true, &style, NULL),
			 FLT_EXIT_DONE);
	s.o = (struct flt_observe){
		.command = &command, .ops = &early, .arg = &s, .period = 1, .with = with,
		.setup.argv = SHELL("sleep 0.1; head -c 200000 /dev/zero; exit 7"),
	};
	dup2(out, STDOUT_FILENO);
	status = flt_observe_run(&s.o);
	dup2(original, STDOUT_FILENO);
	assert_int_equal(status, 7);
	assert_int_equal(lseek(out, 0, SEEK_END), 200000);
	close(original);
	close(out);
	flt_correlation_free(with);
}

static int send_signal(void *arg, int err)
{
	(void)arg;
	(void)err;
	return kill(getpid(), SIGTERM) ? -errno : 0;
}

static void signal_after_the_loop_reaches_the_command(void **state)
{
	const struct flt_observe_ops early = { .round = stop_loop, .stop = send_signal,
					       .finish = finish };
	struct seen s = { 0 };

	(void)state;
	s.o = (struct flt_observe){ .command = &command, .ops = &early, .arg = &s, .period = 1,
				    .setup.argv = SHELL("exec sleep 1000") };
	assert_int_equal(flt_observe_run(&s.o), 128 + SIGTERM);
}

static void ended_target_is_detected(void **state)
{
	uint32_t self = (uint32_t)getpid(), gone = 0;
	struct flt_ids ids = { .id = &self, .count = 1 };
	siginfo_t info;
	pid_t child = fork();

	(void)state;
	assert_false(flt_target_ended(&ids));
	if (!child)
		_exit(0);
	/* Before the parent waits for it, too. */
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	gone = (uint32_t)child;
	ids.id = &gone;
	assert_true(flt_target_ended(&ids));
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(flt_target_ended(&ids));
}

static void losses_give_exit_status_3(void **state)
{
	struct flt_loss none = { 0 }, some = { .lost_proc = 2, .faults = 12, .of = 3456, .torn = 1 };
	struct flt_loss one = { .unlimited = 1 };
	char text[256] = "", line[FLT_LOSS_TEXT];
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(out);
	assert_int_equal(flt_loss_print(&none, out), FLT_EXIT_DONE);
	assert_int_equal(flt_loss_print(&some, out), FLT_EXIT_INCOMPLETE);
	fclose(out);
	assert_string_equal(text, "lost   nothing\n"
			    "lost   no memory to count by process: 2 faults; rows were retired while they were "
			    "read; buffers full: 12 of 3456 faults (use larger buffers, -b and -B): "
			    "the result is incomplete\n");
	assert_false(flt_loss_write(line, &none));
	assert_true(flt_loss_write(line, &some));
	assert_string_equal(line, "no memory to count by process: 2 faults");
	assert_true(flt_loss_write(line, &one));
	assert_string_equal(line, "not limited and not recorded: 1 process");
	assert_int_equal(flt_loss_say(&none, &command), FLT_EXIT_DONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_runs_to_its_end),
		cmocka_unit_test(failed_exec_gives_127_or_126),
		cmocka_unit_test(failed_arm_prevents_the_command),
		cmocka_unit_test(failed_view_keeps_the_command_running),
		cmocka_unit_test(arm_can_end_the_loop),
		cmocka_unit_test(output_after_the_loop_is_passed_on),
		cmocka_unit_test(signal_after_the_loop_reaches_the_command),
		cmocka_unit_test(ended_target_is_detected),
		cmocka_unit_test(losses_give_exit_status_3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
