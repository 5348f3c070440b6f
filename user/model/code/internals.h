/* SPDX-License-Identifier: GPL-2.0-or-later */
/* internals.h - names of the recorder's functions as the program knows them. */
#ifndef FLT_MODEL_INTERNALS_H
#define FLT_MODEL_INTERNALS_H

/*
 * Return the name of the C library's function that `function`, the outermost function of the
 * recorder in a stack, stands for. Return `function` if it stands for none.
 */
const char *flt_internals_public_name(const char *function);

#endif
