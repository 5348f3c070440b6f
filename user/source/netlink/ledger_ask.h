/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_ask.h - read the module's ledgers of huge pages and NUMA balancing. */
#ifndef FLT_SOURCE_LEDGER_ASK_H
#define FLT_SOURCE_LEDGER_ASK_H

#include "text/errmsg.h"
#include "account/ledger.h"

struct flt_control;
struct nlattr;

enum flt_ledger_which { FLT_LEDGER_OF_THP, FLT_LEDGER_OF_NUMA };

/*
 * Create a session that keeps the ledger of these processes, and of their children if
 * follow is set. Without tgids, of all processes. -EOPNOTSUPP: the kernel lacks the hooks.
 */
int flt_ledger_ask_session(struct flt_control *control, enum flt_ledger_which which,
			   const uint32_t *tgids, size_t count, bool follow, uint32_t *session,
			   struct flt_errmsg *e);

/*
 * Read the ledger of all processes, or of a session's processes. -EINTR: some rows are
 * missing, see flt_control_procs().
 */
int flt_ledger_ask(struct flt_control *control, enum flt_ledger_which which, uint32_t session,
		   struct flt_ledger *out, struct flt_errmsg *e);

/* Read the line of the machine alone, in little memory. Errors as above. */
int flt_ledger_ask_machine(struct flt_control *control, enum flt_ledger_which which,
			   struct flt_ledger_line *out, struct flt_errmsg *e);

/* Add a message of the dump to out. -EBADMSG: the message is malformed. */
int flt_ledger_decode(struct nlattr *attrs, int length, struct flt_ledger *out);

#endif
