/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service.h - answer one message of a userfaultfd. */
#ifndef FLT_REC_SERVICE_H
#define FLT_REC_SERVICE_H

#include "lib/core/uffd.h"
#include "pager/page_fault.h"

#define REC_IMAGE 0u	/* not a forked child */

struct rec_message {
	struct uffd_msg msg;
	uint64_t time;		/* when it was read */
	uint32_t child;		/* forked child that it is from, or REC_IMAGE */
};

/* Answer a message other than a fork. FAULT_RETRY: it cannot be answered now. */
enum rec_outcome rec_service_answer(const struct rec_message *m);
/*
 * Return true if the thread owns the pager lock and sleeps in a fault. Return false if the thread
 * waits for room in the ring.
 */
bool rec_service_owner_faults(uint32_t tid);
/*
 * If the message is a fault in which the owner of the pager lock sleeps, fill its page without the
 * lock and return true. If it asks for an errand, run the errand and do the same. fork_pending: a
 * fork was read and is not answered yet.
 */
bool rec_service_rescue(const struct rec_message *m, bool fork_pending);
/* Return true if the kernel refused a rescue since the last call, because memory changes. */
bool rec_service_take_refused(void);
/*
 * Path A: return true if a fault came since the last call that no perf event reports. More
 * are likely to follow, so the server should keep watching the userfaultfd.
 */
bool rec_service_take_unreported(void);

#endif
