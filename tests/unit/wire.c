// SPDX-License-Identifier: GPL-2.0-or-later
/* wire.c - messages of the recorder with more descriptors than they may have. */
#include "source/ring/wire.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Send a valid message with n descriptors. */
static void send_descriptors(int to, size_t n)
{
	struct flt_rec_message m = { .version = FLT_RING_VERSION };
	char room[CMSG_SPACE(100 * sizeof(int))] = "";
	struct iovec v = { &m, sizeof(m) };
	struct msghdr h = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room,
			    .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	for (size_t i = 0; i < n; i++)
		((int *)CMSG_DATA(c))[i] = to;
	assert_int_equal(sendmsg(to, &h, 0), sizeof(m));
}

static void no_descriptor_leaks(void **state)
{
	int s[2], fd, before, on = 1;
	struct flt_rec_message m;
	pid_t sender;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	for (int with = 0; with < 2; with++) {
		before = descriptors();
		for (size_t n = 1; n < 100; n++) {
			send_descriptors(s[0], n);
			assert_int_equal(flt_ring_receive(s[1], &m, &fd, &sender), 1);
			assert_true(n > 1 || fd >= 0);
			assert_int_equal(sender, with ? getpid() : 0);
			if (fd >= 0)
				close(fd);
			assert_int_equal(descriptors(), before);
		}
		assert_int_equal(setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	}
	close(s[0]);
	close(s[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(no_descriptor_leaks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
