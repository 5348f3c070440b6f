// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the page sizes of the machine that recorded a trace file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/recording/recording.h"

/* Return the page sizes of a recording with these records. NULL: without the record. */
static struct flt_page_size sizes_of(const char *page, const char *huge)
{
	struct { struct flt_record r; char text[64]; } info = { .r = { .type = FLT_RECORD_INFO, .size = sizeof(info) } };
	struct flt_page_size sizes;
	struct flt_recording *rec;

	assert_int_equal(flt_recording_new(&rec), 0);
	snprintf(info.text, sizeof(info.text), "huge_page_size=%s", huge ? huge : "");
	if (huge)
		assert_int_equal(flt_recording_record(rec, &info.r), 0);
	snprintf(info.text, sizeof(info.text), "page_size=%s", page ? page : "");
	if (page)
		assert_int_equal(flt_recording_record(rec, &info.r), 0);
	sizes = flt_recording_page_size(rec);
	flt_recording_free(rec);
	return sizes;
}

static void page_sizes_are_those_of_the_recording(void **state)
{
	static const struct { const char *page, *huge; uint32_t shift, pages; } cases[] = {
		{ "4096", "2097152", 12, 512 },
		{ "16384", "33554432", 14, 2048 },
		{ "65536", "536870912", 16, 8192 },
		{ "65536", "2097152", 16, 32 },		/* radix page tables of ppc64 */
		{ "4096", "1048576", 12, 256 },		/* s390x */
		{ "16384", NULL, 14, 2048 },
		{ NULL, NULL, 12, 512 },
		/* impossible, or hostile */
		{ "16384", "0", 14, 2048 },
		{ "16384", "16384", 14, 2048 },
		{ "16384", "67108864", 14, 2048 },
		{ "16384", "33554431", 14, 2048 },
		{ "", "", 12, 512 },
		{ "0", "0", 12, 512 },
		{ "1", "2", 12, 512 },
		{ "2048", "4096", 12, 512 },
		{ "12288", NULL, 12, 512 },
		{ "131072", NULL, 12, 512 },
		{ "-4096", NULL, 12, 512 },
		{ " 16384", NULL, 12, 512 },
		{ "16384 bytes", NULL, 12, 512 },
		{ "9223372036854775808", "9223372036854775808", 12, 512 },
		{ "99999999999999999999999", "99999999999999999999999", 12, 512 },
	};
	struct flt_page_size sizes;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sizes = sizes_of(cases[i].page, cases[i].huge);
		if (sizes.shift != cases[i].shift || sizes.huge != cases[i].pages)
			fail_msg("page_size=%s huge_page_size=%s: %u, %u", cases[i].page, cases[i].huge, sizes.shift, sizes.huge);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_sizes_are_those_of_the_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
