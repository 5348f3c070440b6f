// SPDX-License-Identifier: GPL-2.0-or-later
#include "limit/sysctl.h"

#include <string.h>
#include <unistd.h>

#include "limit/file.h"
#include "source/proc/machine.h"

int flt_sysctl_set(struct flt_journal *journal, const char *path, const char *value,
		   struct flt_errmsg *e)
{
	int lock = flt_journal_lock(), ret;
	char old[24];
	const char *words[] = { "sysctl", path, old, value, NULL };

	if (lock < 0)
		return flt_errmsg_errno(e, lock, "cannot lock " FLT_JOURNAL_DIRECTORY);
	ret = flt_machine_line(path, old, sizeof(old));
	if (!ret && strcmp(old, value)) {
		ret = flt_journal_note(journal, words, e);
		if (!ret)
			ret = limit_file_write(path, value);
		ret = ret ? ret : 1;
	}
	close(lock);
	return ret < 0 ? flt_errmsg_errno(e, ret, "cannot set %s", path) : ret;
}
