// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sessions - open and close sessions as fast as possible.
 *
 *   sessions denied N   request N sessions of different kinds on N / 10 sockets
 *   sessions taken N    N times: open sessions on a new socket until one is refused; close
 *                       half of them one by one, and the others by closing the socket
 *
 * Prints one line: "sessions opened=N CODE=N ...", with the number of refusals for each errno.
 * Fails if a refusal has no message.
 */
#include "row.h"

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY 64

static struct genl g;
static uint32_t newest;
static uint64_t opened, refused[256];

static void take_id(const struct nlmsghdr *nlh, void *unused)
{
	size_t bytes;
	const struct nlattr *first = genl_attrs(nlh, &bytes);

	(void)unused;
	genl_for_each(a, first, bytes) {
		if (genl_type(a) == FLT_SESSION_ID)
			newest = (uint32_t)genl_number(a);
	}
}

static void begin(uint8_t cmd)
{
	genl_start(&g, g.family, NLM_F_REQUEST | NLM_F_ACK, cmd, FLT_GENL_VERSION);
}

static int talk(void)
{
	int rc = genl_talk(&g, take_id, NULL);

	if (rc) {
		if (!*g.error)
			errx(1, "%s without a message", strerrorname_np(-rc));
		refused[-rc & 255]++;
	}
	return rc;
}

/* Request a session. The three lowest bits of @form decide what is asked for. */
static int open_session(unsigned long form)
{
	int rc;

	begin(FLT_CMD_SESSION_NEW);
	if (form & 1)
		genl_put_u32(&g, FLT_SESSION_TGID, (uint32_t)getpid());
	if (form & 2) {
		genl_put(&g, FLT_SESSION_STREAM, NULL, 0);
		genl_put_u32(&g, FLT_SESSION_SUBBUF_SIZE, 4096);
		genl_put_u32(&g, FLT_SESSION_SUBBUFS, 2);
		if (form & 4)
			genl_put_u32(&g, FLT_SESSION_CHANNEL, FLT_CHANNEL_NETLINK);
	}
	rc = talk();
	opened += !rc;
	return rc;
}

static void connect_module(void)
{
	int rc = genl_open(&g, FLT_GENL_NAME);

	if (rc)
		errx(5, "cannot connect to the module flt: %s", strerrorname_np(-rc));
}

static void denied(unsigned long requests)
{
	connect_module();
	for (unsigned long i = 0; i < requests; i++) {
		if (i % 10 == 9) {
			genl_close(&g);
			connect_module();
		}
		open_session(i);
	}
	genl_close(&g);
}

static void taken(unsigned long rounds)
{
	uint32_t ids[MANY];

	for (unsigned long i = 0; i < rounds; i++) {
		unsigned long n = 0;

		connect_module();
		while (n < MANY && !open_session(n))
			ids[n++] = newest;
		for (unsigned long k = 0; k < n; k += 2) {
			begin(FLT_CMD_SESSION_DEL);
			genl_put_u32(&g, FLT_SESSION_ID, ids[k]);
			if (talk())
				errx(1, "cannot close session %u: %s", ids[k], g.error);
		}
		genl_close(&g);
	}
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (n && !strcmp(argv[1], "denied"))
		denied(n);
	else if (n && !strcmp(argv[1], "taken"))
		taken(n);
	else
		errx(2, "usage: sessions denied|taken N");
	printf("sessions opened=%ju", (uintmax_t)opened);
	for (int i = 0; i < 256; i++)
		if (refused[i])
			printf(" %s=%ju", strerrorname_np(i), (uintmax_t)refused[i]);
	putchar('\n');
	return 0;
}
