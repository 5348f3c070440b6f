/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errmsg.h - the error message that goes with a -errno.
 *
 * Layers below cmd/ never print. A function that knows more than the errno writes a
 * message into the caller's struct flt_errmsg and returns the errno. The caller decides
 * whether to print the message. The message is one line without a full stop, and contains
 * the remedy if there is one.
 */
#ifndef FLT_ERRMSG_H
#define FLT_ERRMSG_H

struct flt_errmsg {
	char text[512];	/* empty: the errno says everything */
};

/* Write a message and return err, for use in a return statement. e may be NULL. */
int flt_errmsg_set(struct flt_errmsg *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, followed by ": <strerror(-err)>". */
int flt_errmsg_errno(struct flt_errmsg *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Return the message, or strerror(-err) if there is no message. */
const char *flt_errmsg_text(const struct flt_errmsg *e, int err);

#endif
