/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - read and write numbers with units.
 *
 * Readers parse the whole string. They return -EINVAL for an invalid number or an unknown
 * unit, and -ERANGE for a number that does not fit 64 bits. A number with a unit may have a
 * decimal fraction ("1.5GiB", "0.25s").
 */
#ifndef FLT_UNITS_H
#define FLT_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define FLT_NSEC_PER_SEC 1000000000ull
#define FLT_NSEC_PER_MSEC 1000000ull
#define FLT_MIB (1ull << 20)

/* Read a decimal number, or a hexadecimal number with 0x; no sign, no unit. */
int flt_units_read_u64(const char *text, uint64_t *out);

/* Read a time in ns, us, ms, s, m or min, h; without a unit, in units of bare_ns. */
int flt_units_read_duration(const char *text, uint64_t bare_ns, uint64_t *ns);

/*
 * Read a size in B, K, M, G or T, also KB or KiB and in lower case, always powers of 1024
 * as in /proc/meminfo; without a unit, in units of bare_bytes.
 */
int flt_units_read_size(const char *text, uint64_t bare_bytes, uint64_t *bytes);

/* Room for any number written by the functions below. */
#define FLT_UNITS_TEXT 24

/* Write three significant digits: "87ns", "3.21us", "45.0ms", "2.10s", "3m20s". */
char *flt_units_write_ns(char text[FLT_UNITS_TEXT], uint64_t ns);
/* Write "512B", "140MiB", "1.50GiB". */
char *flt_units_write_size(char text[FLT_UNITS_TEXT], uint64_t bytes);

#endif
