/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inbox.h - messages of userfaultfds that were read and not answered yet. */
#ifndef FLT_REC_INBOX_H
#define FLT_REC_INBOX_H

#include <stdbool.h>
#include <stdint.h>

void rec_inbox_reset(void);
/*
 * Read all messages, and answer forks of the image. child: id of the forked child, or REC_IMAGE.
 * Return false if messages may be left, because a thread holds the pager lock. Then try again soon.
 */
bool rec_inbox_fetch(int uffd, uint32_t child);
/* Answer the messages in order. A message that cannot be answered now stays. */
void rec_inbox_answer(void);
/* Answer all faults of a child, because its own server will not see them. Pager lock held. */
void rec_inbox_answer_child(uint32_t child);
unsigned int rec_inbox_count(void);
/* Return true if a fork is not answered yet. */
bool rec_inbox_has_fork(void);

#endif
