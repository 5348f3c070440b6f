/* SPDX-License-Identifier: GPL-2.0-or-later */
/* genlcases.h - send requests and check their answers. */
#ifndef FLT_GENLCASES_H
#define FLT_GENLCASES_H

#include "../live/genl.h"

extern struct genl g, other;	/* each owns sessions that the other must not change */
extern uint32_t session;	/* the last one that was opened with session_read() */

/* Return the name of 0 or -errno. */
const char *name_of(int error);
/* Begin a request. */
struct nlmsghdr *ask(struct genl *s, uint8_t cmd, uint16_t flags);
/* Send the request and check its answer. want2 is a second allowed -errno, or 0. */
void expect_on(struct genl *s, const char *what, int want, int want2);
/* Send the request on g and check its answer. */
void expect(const char *what, int want);
/* Check an answer that was already received. */
void expect_answer(const char *what, int rc, int want);

/* Take the answer to SESSION_NEW. */
void session_read(const struct nlmsghdr *nlh, void *unused);

void genlcases_hist(void);
void genlcases_wss(void);

#endif
