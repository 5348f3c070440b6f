/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - numbers with units, read and written.
 *
 * Readers take the whole string or refuse it: -EINVAL for what is no number or
 * has an unknown unit, -ERANGE for what does not fit 64 bits. A decimal fraction
 * is allowed where a unit gives it a meaning ("1.5GiB", "0.25s").
 */
#ifndef FLT_UNITS_H
#define FLT_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define FLT_NSEC_PER_SEC 1000000000ull
#define FLT_NSEC_PER_MSEC 1000000ull
#define FLT_MIB (1ull << 20)

/* Decimal, or hexadecimal after 0x; no sign, no unit. */
int flt_units_read_u64(const char *text, uint64_t *out);

/* Nanoseconds: ns, us, ms, s, m or min, h; a bare number counts bare_ns each. */
int flt_units_read_duration(const char *text, uint64_t bare_ns, uint64_t *ns);

/*
 * Bytes: B, K, M, G, T, also as KB or KiB and in lower case, always powers of
 * 1024 as in /proc/meminfo; a bare number counts bare_bytes each.
 */
int flt_units_read_size(const char *text, uint64_t bare_bytes, uint64_t *bytes);

/* Room for any number written by the functions below. */
#define FLT_UNITS_TEXT 24

/* Three significant digits: "87ns", "3.21us", "45.0ms", "2.10s", "3m20s". */
char *flt_units_write_ns(char text[FLT_UNITS_TEXT], uint64_t ns);
/* "512B", "140MiB", "1.50GiB". */
char *flt_units_write_size(char text[FLT_UNITS_TEXT], uint64_t bytes);

#endif
