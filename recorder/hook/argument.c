// SPDX-License-Identifier: GPL-2.0-or-later
#include "argument.h"

#include "image/image.h"

#include <string.h>
#include <sys/uio.h>

bool rec_argument_read(void *to, const void *from, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { (void *)from, bytes };

	if (rec_image.filtered) {
		memcpy(to, from, bytes);
		return true;
	}
	return sys6(SYS_process_vm_readv, sys0(SYS_getpid), (long)&local, 1, (long)&remote, 1, 0) ==
	       (long)bytes;
}
