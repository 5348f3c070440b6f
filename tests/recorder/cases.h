/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cases.h - functions for all cases: memory with known content. */
#ifndef CASES_H
#define CASES_H

#include "tests/workload/page.h"

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>

#define BIG (32u << 20)		/* four times the limit the tests run with */

extern char **arguments;	/* of main() */

unsigned int value(size_t i);
/* Allocate bytes with malloc(). Word i is value(i). */
unsigned int *filled(size_t bytes);
/* Return the number of words that differ from the content written by filled(). */
unsigned long wrong(const unsigned int *p, size_t bytes);
int status_of(pid_t pid);
/* Return true if the first byte of each page is 0. */
bool is_zero(const char *p, size_t bytes);
/* Fork by a system call, so that no handlers run. */
pid_t raw_fork(void);
/* Map BIG bytes of new memory and store to each page. */
void touch_pages(void);
/* Load or store a byte. Return the signal that this raises, or 0. */
int touches(volatile char *p, int write);

void case_heap(void);
void case_seccomp(void);
void case_seccomp_threads(void);
void case_seccomp_strict(void);
void case_seccomp_exec(void);
void case_seccomp_probe(void);
void case_seccomp_raw(void);
void case_seccomp_fork_threads(void);
void case_seccomp_unmap(void);
void case_clone_word(void);
void case_seccomp_create(void);
void case_seccomp_limit(void);
void case_seccomp_exec_calls(void);
void case_seccomp_reserved(void);
void case_setstack(void);
void case_robust(void);
void case_futex(void);
void case_mutex(void);
void case_userfaultfd(void);
void case_advise_mixed(void);
void case_noreplace(void);
void case_onstack(void);
void case_many_threads(void);
void case_fork(void);
void case_fork_deep(void);
void case_fork_drop(void);
void case_fork_stacks(void);
void case_fork_descriptors(void);
void case_fork_no_space(void);
void case_cancel(void);
void case_mremap_over(void);
void case_dropped(void);
void case_fork_threads(void);
void case_fork_raw(void);
void case_lock_raw(void);
void case_no_signals(void);
void case_fork_small(void);
void case_fork_strange(void);
void case_fork_raw_threads(void);
void case_fork_hidden_threads(void);
void case_fork_mixed(void);
void case_spawn(void);
void case_cancel_unwinds(void);
void case_shared(void);
void case_protect(void);
void case_protect_between(void);
void case_mremap(void);
void case_reserve(void);
void case_reserve_mixed(void);
void case_reserve_fork(void);
void case_commit(void);
void case_populate(void);
void case_trim(void);
void case_many_stacks(void);
void case_sparse(void);
void case_limits(void);
void case_shm_at(void);
void case_advise_self(void);
void case_address_limit(void);
void case_reuse(void);
void case_unmapped(void);
void case_phases(void);
void case_phases_forked(void);
void case_neighbours(void);
void case_madvise(void);
void case_brk(void);
void case_file(void);
void case_big_stack(void);
void case_io(void);
void case_direct(void);
void case_direct_threads(void);
void case_close(void);
void case_close_raw(void);
void case_dup_over(void);
void case_mremap_blind(void);
void case_signals(void);
void case_signals_reset(void);
void case_blocked(void);
void case_handlers(void);
void case_altstack(void);
void case_altstack_small(void);
void case_coroutine(void);
void case_stack_edge(void);
void case_threads(void);
void case_c11_thread(void);
void case_end_exit(void);
void case_end_kill(void);
void case_end_abort(void);
void case_end_segv(void);
void case_end_exec(void);
void case_end_exec_thread(void);
void case_end_main(void);
void case_exec_many(void);

#endif
