// SPDX-License-Identifier: GPL-2.0-or-later
/* Write the INFO records that every recording has. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "source/file/file.h"
#include "source/proc/machine.h"
#include "text/shell.h"

int flt_file_host(struct flt_file_writer *w, const char *engine, char *const *command)
{
	const uint64_t huge = flt_machine_huge_page();
	char page[24], *quoted;
	struct utsname u;

	if (!uname(&u)) {
		flt_file_info(w, "host", u.nodename);
		flt_file_info(w, "release", u.release);
		flt_file_info(w, "machine", u.machine);
	}
	snprintf(page, sizeof(page), "%" PRIu64, flt_machine_page());
	flt_file_info(w, "page_size", page);
	if (huge) {
		snprintf(page, sizeof(page), "%" PRIu64, huge);
		flt_file_info(w, "huge_page_size", page);
	}
	flt_file_info(w, "version", FLT_VERSION);
	flt_file_info(w, "engine", engine);
	if (command) {
		quoted = flt_shell_quote(command);
		if (!quoted)
			return -ENOMEM;
		flt_file_info(w, "command", quoted);
		free(quoted);
	}
	return flt_file_error(w);
}
