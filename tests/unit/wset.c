// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/memory/wset.h"
#include "source/proc/smaps.h"
#include "view/terminal/spark.h"

static struct flt_sample sample(uint32_t tgid, uint64_t time, uint64_t referenced)
{
	return (struct flt_sample){ .tgid = tgid, .time = time, .window = 1000,
				    .referenced = referenced, .rss = 2 * referenced,
				    .has = FLT_SAMPLE_REFERENCED | FLT_SAMPLE_RSS };
}

static void quantiles_use_the_nearest_rank(void **state)
{
	struct flt_sample s[101] = { { 0 } };
	struct flt_wset set;
	size_t i;

	(void)state;
	assert_int_equal(flt_wset_sum_up(s, 0, &set), -ENODATA);
	s[0] = sample(1, 0, 7);
	assert_int_equal(flt_wset_sum_up(s, 1, &set), 0);
	for (i = 0; i < FLT_WSET_QUANTILES; i++)
		assert_int_equal(set.referenced[i], 7);
	/* Values 1 to 100 in random order. The nearest rank is always an existing value. */
	for (i = 0; i < 100; i++)
		s[i] = sample(1, i, (i * 37) % 100 + 1);
	assert_int_equal(flt_wset_sum_up(s, 100, &set), 0);
	assert_int_equal(set.referenced[FLT_WSET_MIN], 1);
	assert_int_equal(set.referenced[FLT_WSET_P50], 50);
	assert_int_equal(set.referenced[FLT_WSET_P90], 90);
	assert_int_equal(set.referenced[FLT_WSET_P99], 99);
	assert_int_equal(set.referenced[FLT_WSET_MAX], 100);
	assert_int_equal(set.rss_max, 200);
	/* A sample without a known working set is skipped. */
	s[100] = (struct flt_sample){ .referenced = 1000 };
	assert_int_equal(flt_wset_sum_up(s, 101, &set), 0);
	assert_int_equal(set.windows, 100);
}

static struct flt_sample of_window(struct flt_sample s, uint64_t nth)
{
	s.nth = nth;
	return s;
}

static void totals_add_processes_per_window(void **state)
{
	struct flt_samples all = { 0 }, total = { 0 };
	const struct flt_sample given[] = {
		of_window(sample(1, 1000, 10), 1), of_window(sample(1, 2000, 20), 2),
		of_window(sample(2, 1010, 1), 1), of_window(sample(2, 2100, 2), 2),
		/* Process 3 is sampled late, but its samples count for their windows. */
		of_window(sample(3, 1990, 100), 1), of_window(sample(3, 2990, 200), 2),
		/* Process 4 exists in some windows only. */
		of_window(sample(4, 4000, 5), 4),
	};
	size_t i;

	(void)state;
	assert_int_equal(flt_wset_total(&all, &total), 0);
	assert_int_equal(total.count, 0);
	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		assert_int_equal(flt_samples_add(&all, &given[i]), 0);
	assert_int_equal(flt_wset_total(&all, &total), 0);
	assert_int_equal(total.count, 3);
	assert_int_equal(total.sample[0].referenced, 111);
	assert_int_equal(total.sample[0].time, 1000);
	assert_int_equal(total.sample[0].window, 1000);
	assert_int_equal(total.sample[1].referenced, 222);
	assert_int_equal(total.sample[1].rss, 444);
	assert_int_equal(total.sample[2].referenced, 5);
	flt_samples_free(&all);
	flt_samples_free(&total);
}

static const char smaps[] =
	"00400000-00401000 r--p 00000000 fe:01 42                         /usr/bin/A: B\n"
	"Size:                  4 kB\nRss:                   4 kB\nPss:                   2 kB\n"
	"Referenced:            4 kB\nVmFlags: rd mr mw me \n"
	"00a00000-00b00000 rw-p 00000000 00:00 0                          [heap]\n"
	"Rss:                 100 kB\nPss:                 100 kB\nReferenced:           60 kB\n"
	"AnonHugePages:         0 kB\n"
	"7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
	"Rss:                2048 kB\nPss:                2048 kB\nReferenced:            0 kB\n"
	"AnonHugePages:      2048 kB\n";

static void smaps_is_parsed(void **state)
{
	struct flt_sample_areas areas = { 0 };
	struct flt_sample s = { 0 };

	(void)state;
	assert_int_equal(flt_smaps_parse(smaps, &s, &areas), 0);
	assert_int_equal(s.rss, 2152 << 10);
	assert_int_equal(s.pss, 2150 << 10);
	assert_int_equal(s.referenced, 64 << 10);
	assert_int_equal(s.huge, 2048 << 10);
	assert_int_equal(s.area[FLT_AREA_HEAP], 60 << 10);
	assert_int_equal(s.area[FLT_AREA_FILE], 4 << 10);
	assert_int_equal(areas.count, 3);
	assert_string_equal(areas.area[0].name, "/usr/bin/A: B");
	assert_int_equal(areas.area[1].start, 0xa00000);
	assert_string_equal(areas.area[2].name, "");
	flt_sample_areas_free(&areas);
	/* The file is empty if the process ends during the read. */
	s = (struct flt_sample){ 0 };
	assert_int_equal(flt_smaps_parse("", &s, NULL), -ESRCH);
	/* Truncated text may give wrong values but no read past its end. */
	for (size_t cut = 0; cut < sizeof(smaps); cut++) {
		char text[sizeof(smaps)];

		memcpy(text, smaps, cut);
		text[cut] = '\0';
		s = (struct flt_sample){ 0 };
		flt_smaps_parse(text, &s, NULL);
	}
}

static void spark_line_keeps_peaks(void **state)
{
	const uint64_t values[] = { 0, 1, 2, 4, 8 };
	uint64_t many[1000] = { 0 };
	char text[FLT_SPARK_TEXT];

	(void)state;
	assert_string_equal(flt_spark_write(text, values, 5, 1), "01248");
	assert_string_equal(flt_spark_write(text, values, 0, 1), "");
	assert_string_equal(flt_spark_write(text, many, 3, 1), "000");
	/* A single peak stays visible. */
	many[777] = 5;
	flt_spark_write(text, many, 1000, 1);
	assert_int_equal(strlen(text), FLT_SPARK_WIDTH);
	assert_non_null(strchr(text, '8'));
	flt_spark_write(text, many, 1000, 0);
	assert_int_equal(strlen(text), 3 * FLT_SPARK_WIDTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_use_the_nearest_rank),
		cmocka_unit_test(totals_add_processes_per_window),
		cmocka_unit_test(smaps_is_parsed),
		cmocka_unit_test(spark_line_keeps_peaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
