/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_ask.h - the ledgers of huge pages and NUMA balancing, asked of the flt module. */
#ifndef FLT_SOURCE_LEDGER_ASK_H
#define FLT_SOURCE_LEDGER_ASK_H

#include "text/errmsg.h"
#include "account/ledger.h"

struct flt_control;
struct nlattr;

enum flt_ledger_which { FLT_LEDGER_OF_THP, FLT_LEDGER_OF_NUMA };

/*
 * A session that has it kept, of these processes and what they fork if follow; of
 * all without any. -EOPNOTSUPP: this kernel lacks the hooks.
 */
int flt_ledger_ask_session(struct flt_control *control, enum flt_ledger_which which,
			   const uint32_t *tgids, size_t count, bool follow, uint32_t *session,
			   struct flt_errmsg *e);

/* All processes, or with a session its own. As flt_control_procs(): -EINTR is a torn look. */
int flt_ledger_ask(struct flt_control *control, enum flt_ledger_which which, uint32_t session,
		   struct flt_ledger *out, struct flt_errmsg *e);

/* A message of the dump, added to out. -EBADMSG. */
int flt_ledger_decode(struct nlattr *attrs, int length, struct flt_ledger *out);

#endif
