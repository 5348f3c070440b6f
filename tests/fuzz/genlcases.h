/* SPDX-License-Identifier: GPL-2.0-or-later */
/* genlcases.h - requests and what is to come of them, for the files that have the cases. */
#ifndef FLT_GENLCASES_H
#define FLT_GENLCASES_H

#include "../live/genl.h"

extern struct genl g, other;	/* what is of one is refused to the other */

const char *name_of(int error);	/* 0 or -errno */
struct nlmsghdr *ask(struct genl *s, uint8_t cmd, uint16_t flags);
/* Sends what was put together; want2: a second errno that the contract leaves room for, or 0. */
void expect_on(struct genl *s, const char *what, int want, int want2);
void expect(const char *what, int want);
/* What was answered already. */
void expect_answer(const char *what, int rc, int want);

void genlcases_wss(void);

#endif
