// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit durations[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", FLT_NSEC_PER_SEC },
	{ "sec", FLT_NSEC_PER_SEC },
	{ "m", 60 * FLT_NSEC_PER_SEC },
	{ "min", 60 * FLT_NSEC_PER_SEC },
	{ "h", 3600 * FLT_NSEC_PER_SEC },
};

static const struct unit sizes[] = {
	{ "b", 1 },
	{ "k", 1ull << 10 }, { "kb", 1ull << 10 }, { "kib", 1ull << 10 },
	{ "m", 1ull << 20 }, { "mb", 1ull << 20 }, { "mib", 1ull << 20 },
	{ "g", 1ull << 30 }, { "gb", 1ull << 30 }, { "gib", 1ull << 30 },
	{ "t", 1ull << 40 }, { "tb", 1ull << 40 }, { "tib", 1ull << 40 },
};

/* Read digits and advance *text. -EINVAL: there is no digit. */
static int read_digits(const char **text, unsigned int base, uint64_t *out)
{
	const char *s = *text;
	uint64_t value = 0;
	int digit;

	for (;; s++) {
		if (isdigit((unsigned char)*s))
			digit = *s - '0';
		else if (base == 16 && isxdigit((unsigned char)*s))
			digit = tolower((unsigned char)*s) - 'a' + 10;
		else
			break;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return -ERANGE;
	}
	if (s == *text)
		return -EINVAL;
	*text = s;
	*out = value;
	return 0;
}

int flt_units_read_u64(const char *text, uint64_t *out)
{
	unsigned int base = 10;
	uint64_t value;
	int ret;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	ret = read_digits(&text, base, &value);
	if (ret)
		return ret;
	if (*text)
		return -EINVAL;
	*out = value;
	return 0;
}

static int read_scaled(const char *text, const struct unit *units, size_t count, uint64_t bare,
		       uint64_t *out)
{
	uint64_t whole = 0, fraction = 0, scale = 1, factor = bare;
	unsigned __int128 value;
	size_t i;
	int ret;

	ret = read_digits(&text, 10, &whole);
	if (ret)
		return ret;
	if (*text == '.') {
		text++;
		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		/* Digits after the ninth are below a nanosecond. */
		for (; isdigit((unsigned char)*text); text++) {
			if (scale == 1000000000)
				continue;
			fraction = fraction * 10 + (uint64_t)(*text - '0');
			scale *= 10;
		}
	}
	if (*text) {
		for (i = 0; i < count; i++)
			if (!strcasecmp(text, units[i].name))
				break;
		if (i == count)
			return -EINVAL;
		factor = units[i].factor;
	}
	value = (unsigned __int128)whole * factor + (unsigned __int128)fraction * factor / scale;
	if (value > UINT64_MAX)
		return -ERANGE;
	*out = (uint64_t)value;
	return 0;
}

int flt_units_read_duration(const char *text, uint64_t bare_ns, uint64_t *ns)
{
	return read_scaled(text, durations, ARRAY_SIZE(durations), bare_ns, ns);
}

int flt_units_read_size(const char *text, uint64_t bare_bytes, uint64_t *bytes)
{
	return read_scaled(text, sizes, ARRAY_SIZE(sizes), bare_bytes, bytes);
}

static char *write_scaled(char *text, double value, const char *unit)
{
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(text, FLT_UNITS_TEXT, "%.*f%s", decimals, value, unit);
	return text;
}

char *flt_units_write_ns(char text[FLT_UNITS_TEXT], uint64_t ns)
{
	uint64_t seconds = ns / FLT_NSEC_PER_SEC;

	if (ns < 1000)
		snprintf(text, FLT_UNITS_TEXT, "%" PRIu64 "ns", ns);
	else if (ns < 999500)
		write_scaled(text, (double)ns / 1e3, "us");
	else if (ns < 999500000)
		write_scaled(text, (double)ns / 1e6, "ms");
	else if (seconds < 100)
		write_scaled(text, (double)ns / 1e9, "s");
	else if (seconds < 3600)
		snprintf(text, FLT_UNITS_TEXT, "%" PRIu64 "m%02" PRIu64 "s", seconds / 60,
			 seconds % 60);
	else
		snprintf(text, FLT_UNITS_TEXT, "%" PRIu64 "h%02" PRIu64 "m", seconds / 3600,
			 seconds / 60 % 60);
	return text;
}

char *flt_units_write_size(char text[FLT_UNITS_TEXT], uint64_t bytes)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	double value = (double)bytes;
	size_t i = 0;

	while (value >= 1023.5 && i + 1 < ARRAY_SIZE(names)) {
		value /= 1024;
		i++;
	}
	if (!i || value == (double)(uint64_t)value)
		snprintf(text, FLT_UNITS_TEXT, "%.0f%s", value, names[i]);
	else
		write_scaled(text, value, names[i]);
	return text;
}
