/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * genl.h - a generic netlink socket that asks one question at a time.
 *
 * Errors of the kernel come back as its errno with its own sentence (extack) in
 * the flt_errmsg. Messages that did not come from the kernel, or that answer
 * nothing asked, are passed over.
 */
#ifndef FLT_SOURCE_GENL_H
#define FLT_SOURCE_GENL_H

#include <stdint.h>

#include "text/errmsg.h"

struct flt_genl;
struct nl_msg;
struct nlattr;

/* -EOPNOTSUPP: there is no such family. */
int flt_genl_open(struct flt_genl **genl, const char *family, uint8_t version,
		  struct flt_errmsg *e);
void flt_genl_close(struct flt_genl *genl);

/* A request to add attributes to; flt_genl_do() and _dump() release it. NULL: no memory. */
struct nl_msg *flt_genl_request(struct flt_genl *genl, uint8_t command, int flags);

/*
 * What an answer's attributes are handed to, length bytes at attrs, valid for
 * the call. -errno makes the whole request fail with it, once all is read.
 */
typedef int (*flt_genl_fn)(void *arg, struct nlattr *attrs, int length);

/* Sends and waits for the acknowledgement; fn may be NULL. */
int flt_genl_do(struct flt_genl *genl, struct nl_msg *request, flt_genl_fn fn, void *arg,
		struct flt_errmsg *e);
/* The same for a dump. -EINTR: rows were retired meanwhile, ask again. */
int flt_genl_dump(struct flt_genl *genl, struct nl_msg *request, flt_genl_fn fn, void *arg,
		  struct flt_errmsg *e);

/*
 * Messages of the family with this command, which nobody asked for, go to fn from now
 * on, also when they come in the course of an answer; bytes: how much the socket is to
 * hold, if that is permitted.
 */
void flt_genl_listen(struct flt_genl *genl, uint8_t command, int bytes, flt_genl_fn fn,
		     void *arg);
/* Waits up to so long for something (0: not at all), then hands on all that is there. */
int flt_genl_events(struct flt_genl *genl, int wait_ms, struct flt_errmsg *e);

/*
 * The sentence in the extended acknowledgement that ends nlh (NLMSG_ERROR, or
 * NLMSG_DONE of a dump), copied; empty if there is none or it is malformed.
 */
struct nlmsghdr;
void flt_genl_extack(const struct nlmsghdr *nlh, char *text, uint32_t size);

#endif
