// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/text_file.h"

#include <errno.h>
#include <stdbool.h>

int flt_text_file_close(FILE *file)
{
	const bool failed = ferror(file);

	errno = 0;
	if (!fclose(file) && !failed)
		return 0;
	return errno ? -errno : -EIO;
}
