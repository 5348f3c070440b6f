/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * digits.h - write the digits of numbers, faster than printf(): for rows that are written for every
 * fault.
 */
#ifndef FLT_DIGITS_H
#define FLT_DIGITS_H

#include <stdint.h>

/* Room that the functions need for any number. They may change all of it. */
#define FLT_DIGITS_MAX 20

/* Write a number without a terminator. Return the end of the digits. */
char *flt_digits_decimal(char *to, uint64_t value);
/* The same in hexadecimal, in lower case without 0x. */
char *flt_digits_hex(char *to, uint64_t value);

#endif
