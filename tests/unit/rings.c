// SPDX-License-Identifier: GPL-2.0-or-later
/* rings.c - images that take any time to start, and servers that take time to end. */
#include "source/ring/image.h"
#include "source/ring/ring.h"
#include "source/ring/wire.h"
#include "text/units.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LONG_AGO (60 * FLT_NSEC_PER_SEC)

static int refusals, endings;

static void count_refusal(void *arg, pid_t pid, const char *why, bool counted)
{
	(void)arg;
	(void)pid;
	(void)why;
	(void)counted;
	refusals++;
}

static int accept_image(void *arg, struct flt_ring_image *image)
{
	(void)arg;
	(void)image;
	return 0;
}

static void count_end(void *arg, struct flt_ring_image *image, const char *why)
{
	(void)arg;
	(void)image;
	(void)why;
	endings++;
}

/* Say hello like an image. Then wait, or, if it ends, start, say goodbye like a server, and wait. */
static void introduce(const struct flt_rings *r, bool ends)
{
	struct flt_rec_message m = { .type = FLT_REC_HELLO, .version = FLT_RING_VERSION };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	/* A failed test does not kill the image. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memcpy(a.sun_path + 1, r->name, strlen(r->name));
	memcpy(m.token, r->token, sizeof(m.token));
	if (connect(fd, (struct sockaddr *)&a,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(r->name))) ||
	    flt_ring_send(fd, &m, NULL, 0))
		_exit(1);
	if (ends) {
		if (recv(fd, &m, sizeof(m), 0) < 0)
			_exit(1);
		m.type = FLT_REC_READY;
		flt_ring_send(fd, &m, NULL, 0);
		m.type = FLT_REC_BYE;
		flt_ring_send(fd, &m, NULL, 0);
	}
	for (;;)
		pause();
}

/* Fork an image that said hello and does not start, or, if it ends, that said goodbye. */
static pid_t begin(struct flt_rings **r, bool ends)
{
	const struct flt_ring_receiver receiver = {
		.begin = accept_image, .end = count_end, .refused = count_refusal,
	};
	const struct flt_rec_config config = { .limit_pages = 1 };
	struct flt_errmsg e;
	pid_t pid;

	refusals = endings = 0;
	assert_int_equal(flt_rings_open(r, &config, &receiver, &e), 0);
	pid = fork();
	if (!pid)
		introduce(*r, ends);
	while (ends ? !endings : !(*r)->first || (*r)->first->state != STARTING)
		assert_true(flt_rings_dispatch(*r) >= 0);
	return pid;
}

static void finish(struct flt_rings *r, pid_t pid)
{
	flt_rings_close(r);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void an_image_may_start_late_while_the_command_runs(void **state)
{
	struct flt_rings *r;
	pid_t pid = begin(&r, false);

	(void)state;
	r->first->since -= LONG_AGO;
	assert_int_equal(flt_rings_dispatch(r), 0);
	assert_int_equal(refusals, 0);
	assert_int_equal(flt_rings_live(r), 1);
	finish(r, pid);
}

static void an_image_that_does_not_start_is_given_up_after_the_command(void **state)
{
	struct flt_rings *r;
	pid_t pid = begin(&r, false);

	(void)state;
	r->first->since -= LONG_AGO;
	flt_rings_expire(r);
	assert_int_equal(flt_rings_live(r), 1);
	r->expires_from -= LONG_AGO;
	flt_rings_expire(r);
	assert_int_equal(refusals, 1);
	assert_int_equal(flt_rings_live(r), 0);
	finish(r, pid);
}

static void a_late_connection_has_as_much_time(void **state)
{
	struct flt_rings *r;
	pid_t pid = begin(&r, false);

	(void)state;
	flt_rings_expire(r);
	r->expires_from -= LONG_AGO;
	flt_rings_expire(r);
	assert_int_equal(flt_rings_live(r), 1);
	finish(r, pid);
}

static void a_recording_waits_for_servers_that_said_goodbye(void **state)
{
	struct flt_rings *r;
	pid_t pid = begin(&r, true);

	(void)state;
	assert_int_equal(flt_rings_dispatch(r), 0);
	assert_int_equal(flt_rings_live(r), 1);
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	assert_int_equal(flt_rings_dispatch(r), 0);
	assert_int_equal(flt_rings_live(r), 0);
	finish(r, pid);
}

static void a_server_that_does_not_end_is_given_up(void **state)
{
	struct flt_rings *r;
	pid_t pid = begin(&r, true);

	(void)state;
	flt_rings_expire(r);
	assert_int_equal(flt_rings_live(r), 1);
	r->expires_from -= LONG_AGO;
	flt_rings_expire(r);
	assert_int_equal(flt_rings_live(r), 0);
	assert_int_equal(refusals, 0);
	finish(r, pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_may_start_late_while_the_command_runs),
		cmocka_unit_test(an_image_that_does_not_start_is_given_up_after_the_command),
		cmocka_unit_test(a_late_connection_has_as_much_time),
		cmocka_unit_test(a_recording_waits_for_servers_that_said_goodbye),
		cmocka_unit_test(a_server_that_does_not_end_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
