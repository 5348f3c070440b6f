/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errmsg.h - the sentence that goes with a -errno.
 *
 * Layers below cmd/ never print. One that knows more than its errno says it in
 * the caller's struct flt_errmsg and returns the errno; whoever prints decides
 * whether anybody is to read it. The text is one line, without a full stop, and
 * holds the fix where there is one.
 */
#ifndef FLT_ERRMSG_H
#define FLT_ERRMSG_H

struct flt_errmsg {
	char text[512];	/* empty: nothing to add to the errno */
};

/* Both return err, so that a failing function can end in them; e may be NULL. */
int flt_errmsg_set(struct flt_errmsg *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with ": <strerror(-err)>" behind it. */
int flt_errmsg_errno(struct flt_errmsg *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The text, or strerror(-err) if there is none. */
const char *flt_errmsg_text(const struct flt_errmsg *e, int err);

#endif
