// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/export/gzip.h"

#include <errno.h>
#include <limits.h>
#include <zlib.h>

int flt_gzip_write(FILE *out, const void *data, size_t size)
{
	const int gzip = 16;	/* added to the window bits, see deflateInit2() */
	z_stream z = { .next_in = (z_const Bytef *)data };
	unsigned char block[16384] = { 0 };
	int state = Z_OK;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	while (state != Z_STREAM_END) {
		if (!z.avail_in) {
			z.avail_in = size < UINT_MAX ? (uInt)size : UINT_MAX;
			size -= z.avail_in;
		}
		z.next_out = block;
		z.avail_out = sizeof(block);
		state = deflate(&z, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(block, 1, sizeof(block) - z.avail_out, out);
	}
	deflateEnd(&z);
	return 0;
}
