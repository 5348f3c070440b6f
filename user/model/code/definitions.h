/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * definitions.h - look for the definition of a function. A function that faults nowhere has no
 * place in a recording, but its name may also be misspelt.
 */
#ifndef FLT_MODEL_DEFINITIONS_H
#define FLT_MODEL_DEFINITIONS_H

#include <stdbool.h>

#include "model/recording/recording.h"

typedef bool (*flt_definitions_fn)(void *arg, const char *name);

/*
 * Return true if accept() accepts the name of a function in the code that the recording maps:
 * symbols first, then the functions of debug information, which also lists inlined functions.
 * Names are demangled. root: prefix for paths of files, or NULL.
 */
bool flt_definitions_have(const struct flt_recording *rec, const char *root,
			  flt_definitions_fn accept, void *arg);

#endif
