// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seccomp.c - programs that restrict their own system calls.
 *
 * The restrictions do not know the recorder. So before the first one, path A is turned off: the
 * fault server serves all faults, and the threads of the program make no system call for it.
 * The heap stops returning freed memory, because libc's heap does not do that in free().
 */
#include "seccomp.h"

#include "image/image.h"
#include "pager/grant.h"
#include "pager/guard.h"
#include "range.h"
#include "region/region.h"
#include "signal/handler.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/types.h>

int mallctl(const char *name, void *old, size_t *old_size, void *new, size_t new_size);

static void keep_freed_memory(void)
{
	unsigned int arenas = 0;
	size_t size = sizeof(arenas);
	ssize_t never = -1;
	char name[40];

	mallctl("arenas.dirty_decay_ms", NULL, NULL, &never, sizeof(never));
	mallctl("arenas.narenas", &arenas, &size, NULL, 0);
	for (unsigned int i = 0; i < arenas; i++) {
		snprintf(name, sizeof(name), "arena.%u.dirty_decay_ms", i);
		mallctl(name, NULL, NULL, &never, sizeof(never));
	}
}

/*
 * Do now what would take system calls later: the end of grants, and the mapping of addresses that a
 * reservation has left inaccessible. New ones do not become free (rec_range_unmap()).
 */
static void settle(void)
{
	struct rec_held h = rec_range_lock();

	rec_grant_stop();
	rec_guard_open();
	rec_range_unlock(h);
}

/* Prepare for a filter. A filter without a program is a question whether filters exist. */
static void prepare(bool strict, const void *program)
{
	if ((!strict && !program) || rec_image.filtered)
		return;
	if (rec_image_is_ready()) {
		keep_freed_memory();
		settle();
		rec_handler_turn_off();
		rec_image_tid = rec_tid();
	}
	/* The child of a raw fork is not recorded, but must not connect to fltctl either. */
	rec_image.filtered = true;
}

long rec_seccomp(unsigned int operation, unsigned int flags, void *args)
{
	if (operation == SECCOMP_SET_MODE_STRICT || operation == SECCOMP_SET_MODE_FILTER)
		prepare(operation == SECCOMP_SET_MODE_STRICT, args);
	return rec_range_result(sys3(SYS_seccomp, operation, flags, args));
}

REC_EXPORT int prctl(int option, ...)
{
	long arg[4];
	va_list ap;

	/* Arguments that an option does not use are ignored or 0. */
	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (option == PR_SET_SECCOMP)
		prepare(arg[0] == SECCOMP_MODE_STRICT, (void *)arg[1]);
	return (int)rec_range_result(sys5(SYS_prctl, option, arg[0], arg[1], arg[2], arg[3]));
}
