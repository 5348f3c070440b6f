/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * server.h - the fault server's parts. All of it runs in the server alone, without
 * a thread of libc's: raw system calls, no limited memory, no waiting for locks.
 */
#ifndef FLT_REC_SERVER_H
#define FLT_REC_SERVER_H

#include "rec.h"

/* spawn.c makes the process, server.c is what it does. */
void rec_server_run(int sock, int pidfd) __attribute__((noreturn));
/* The pager lock, if it is to be had in a moment. */
bool rec_server_try_pager(void);

/* inbox.c: messages of userfaultfds, read and not yet answered. */
#define REC_FROM_IMAGE (-1)
void rec_inbox_reset(void);
/* Read what there is; child is an index in rec.child or REC_FROM_IMAGE. */
void rec_inbox_fetch(int uffd, int child);
/* Answer in turn what can be answered now. */
void rec_inbox_work(void);
unsigned int rec_inbox_count(void);
bool rec_inbox_holds_fork(void);
/* Answer all of a child at once: nobody else will see them. Pager lock held. */
void rec_inbox_answer_child(int child);
/* It has no descriptor any more. */
void rec_inbox_forget_child(int child);
/* Path A: a fault came that no event tells of, so go on looking (reading resets). */
bool rec_inbox_wants_more(void);

/* child.c: forked children that are not on their own yet. Pager lock held. */
void rec_child_reset(void);
enum rec_verdict rec_child_serve(int child, uintptr_t page);
void rec_child_new(int uffd);
void rec_child_end(int child, bool unlimited);
/* Drop those that died, give up on those that do not come, thaw when all are gone. */
void rec_child_look(void);
/* That server goes away: fill them all up. */
void rec_child_release_all(void);

#endif
