// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cases.c - programs that are difficult for a recorder that limits memory.
 *
 * `cases NAME` runs one case and prints its observations. The output of a native run is the
 * expected output. No output depends on addresses, times or the order of threads.
 */
#include "cases.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

char **arguments;

unsigned int value(size_t i)
{
	return (unsigned int)i * 2654435761u + 12345;
}

unsigned int *filled(size_t bytes)
{
	unsigned int *p = malloc(bytes);

	for (size_t i = 0; i < bytes / 4; i++)
		p[i] = value(i);
	return p;
}

unsigned long wrong(const unsigned int *p, size_t bytes)
{
	unsigned long bad = 0;

	for (size_t i = 0; i < bytes / 4; i += 127)
		bad += p[i] != value(i);
	return bad;
}

int status_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

bool is_zero(const char *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += PAGE)
		if (p[i])
			return false;
	return true;
}

pid_t raw_fork(void)
{
#ifdef SYS_fork
	return (pid_t)syscall(SYS_fork);
#else	/* arm64 */
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

void touch_pages(void)
{
	char *p = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < BIG; i += PAGE)
		p[i] = 1;
	printf("touched\n");
	fflush(stdout);
}

static void case_words(void)
{
	for (int i = 2; arguments[i]; i++)
		printf("[%s]", arguments[i]);
	printf("\n");
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "heap", case_heap }, { "seccomp", case_seccomp },
	{ "seccomp_threads", case_seccomp_threads }, { "seccomp_strict", case_seccomp_strict },
	{ "seccomp_exec", case_seccomp_exec }, { "seccomp_probe", case_seccomp_probe },
	{ "seccomp_raw", case_seccomp_raw }, { "seccomp_fork_threads", case_seccomp_fork_threads },
	{ "clone_word", case_clone_word }, { "seccomp_unmap", case_seccomp_unmap }, { "seccomp_create", case_seccomp_create },
	{ "seccomp_limit", case_seccomp_limit }, { "seccomp_exec_calls", case_seccomp_exec_calls },
	{ "seccomp_reserved", case_seccomp_reserved },
	{ "fork", case_fork }, { "fork_deep", case_fork_deep }, { "fork_threads", case_fork_threads },
	{ "fork_raw", case_fork_raw }, { "fork_small", case_fork_small },
	{ "fork_strange", case_fork_strange }, { "fork_raw_threads", case_fork_raw_threads },
	{ "fork_hidden_threads", case_fork_hidden_threads }, { "fork_mixed", case_fork_mixed },
	{ "fork_drop", case_fork_drop }, { "fork_stacks", case_fork_stacks },
	{ "fork_descriptors", case_fork_descriptors }, { "fork_no_space", case_fork_no_space },
	{ "cancel", case_cancel }, { "cancel_unwinds", case_cancel_unwinds },
	{ "mremap_over", case_mremap_over }, { "dropped", case_dropped },
	{ "spawn", case_spawn }, { "shared", case_shared },
	{ "protect", case_protect }, { "protect_between", case_protect_between }, { "io", case_io }, { "direct", case_direct },
	{ "direct_threads", case_direct_threads },
	{ "mremap", case_mremap }, { "reserve", case_reserve }, { "reserve_mixed", case_reserve_mixed }, { "reserve_fork", case_reserve_fork }, { "commit", case_commit }, { "populate", case_populate }, { "trim", case_trim }, { "many_stacks", case_many_stacks }, { "sparse", case_sparse },
	{ "limits", case_limits }, { "address_limit", case_address_limit },
	{ "shm_at", case_shm_at }, { "advise_self", case_advise_self },
	{ "reuse", case_reuse },
	{ "madvise", case_madvise }, { "phases", case_phases }, { "phases_forked", case_phases_forked }, { "neighbours", case_neighbours }, { "unmapped", case_unmapped }, { "signals", case_signals }, { "signals_reset", case_signals_reset }, { "blocked", case_blocked },
	{ "handlers", case_handlers }, { "brk", case_brk }, { "file", case_file },
	{ "big_stack", case_big_stack }, { "altstack", case_altstack },
	{ "altstack_small", case_altstack_small },
	{ "stack_edge", case_stack_edge },
	{ "coroutine", case_coroutine }, { "threads", case_threads }, { "c11_thread", case_c11_thread }, { "close", case_close }, { "close_raw", case_close_raw }, { "dup_over", case_dup_over },
	{ "mremap_blind", case_mremap_blind }, { "setstack", case_setstack },
	{ "futex", case_futex }, { "mutex", case_mutex },
	{ "robust", case_robust }, { "userfaultfd", case_userfaultfd },
	{ "advise_mixed", case_advise_mixed }, { "noreplace", case_noreplace },
	{ "onstack", case_onstack }, { "lock_raw", case_lock_raw }, { "no_signals", case_no_signals }, { "many_threads", case_many_threads },
	{ "words", case_words }, { "exec_many", case_exec_many },
	{ "end_exit", case_end_exit }, { "end_kill", case_end_kill }, { "end_abort", case_end_abort },
	{ "end_segv", case_end_segv }, { "end_exec", case_end_exec },
	{ "end_exec_thread", case_end_exec_thread }, { "end_main", case_end_main },
};

int main(int argc, char **argv)
{
	arguments = argv;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && strcmp(argv[1], cases[i].name))
			continue;
		if (argc > 1) {
			cases[i].run();
			return 0;
		}
		printf("%s\n", cases[i].name);
	}
	return argc > 1 ? 2 : 0;
}
