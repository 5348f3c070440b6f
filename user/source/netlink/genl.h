/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * genl.h - a generic netlink socket with one request at a time.
 *
 * Errors of the kernel are returned as its errno, with its message (extack) in the flt_errmsg.
 * Messages that do not come from the kernel, or do not answer the request, are ignored.
 */
#ifndef FLT_SOURCE_GENL_H
#define FLT_SOURCE_GENL_H

#include <stdint.h>

#include "text/errmsg.h"

struct flt_genl;
struct nl_msg;
struct nlattr;

/* -EOPNOTSUPP: the family does not exist. */
int flt_genl_open(struct flt_genl **genl, const char *family, uint8_t version,
		  struct flt_errmsg *e);
void flt_genl_close(struct flt_genl *genl);
/* Return the number of the family. The kernel gives another one if the module is loaded again. */
int flt_genl_family(const struct flt_genl *genl);

/* Return a request without attributes, or NULL. flt_genl_do() and _dump() free it. */
struct nl_msg *flt_genl_request(struct flt_genl *genl, uint8_t command, int flags);
/* Free a request, or NULL, for which there is no memory. Return -ENOMEM. */
int flt_genl_drop(struct nl_msg *request);

/*
 * Receive the attributes of an answer: length bytes at attrs, valid during the call. If the
 * function returns -errno, the request returns this error after reading all answers.
 */
typedef int (*flt_genl_fn)(void *arg, struct nlattr *attrs, int length);

/* Send a request and wait for the acknowledgement. fn may be NULL. */
int flt_genl_do(struct flt_genl *genl, struct nl_msg *request, flt_genl_fn fn, void *arg,
		struct flt_errmsg *e);
/* The same for a dump. -EINTR: rows were retired during the dump; repeat the request. */
int flt_genl_dump(struct flt_genl *genl, struct nl_msg *request, flt_genl_fn fn, void *arg,
		  struct flt_errmsg *e);

/*
 * Copy the message of the extended acknowledgement in nlh (NLMSG_ERROR, or NLMSG_DONE of a
 * dump). The copy is empty if there is no message or nlh is malformed.
 */
struct nlmsghdr;
void flt_genl_extack(const struct nlmsghdr *nlh, char *text, uint32_t size);

#endif
