// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/errmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int flt_errmsg_set(struct flt_errmsg *e, int err, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return err;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return err;
}

int flt_errmsg_errno(struct flt_errmsg *e, int err, const char *fmt, ...)
{
	size_t used;
	va_list ap;

	if (!e)
		return err;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	used = strlen(e->text);
	snprintf(e->text + used, sizeof(e->text) - used, ": %s", strerror(-err));
	return err;
}

const char *flt_errmsg_text(const struct flt_errmsg *e, int err)
{
	return e && e->text[0] ? e->text : strerror(-err);
}
