/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * definitions.h - look for the definition of a function. A function that faults nowhere has no
 * place in a recording, but its name may also be misspelt.
 */
#ifndef FLT_MODEL_DEFINITIONS_H
#define FLT_MODEL_DEFINITIONS_H

#include <stdbool.h>

#include "model/recording/recording.h"

/* Where to look, and for what. Both functions get .arg. */
struct flt_definitions_search {
	const struct flt_recording *rec;
	const char *root;	/* prefix for paths of files, or NULL */
	/* Return whether to look into what an image mapped last. NULL: into all that was mapped. */
	bool (*in_image)(void *arg, uint32_t image);
	/* Return whether the name is one that is looked for. Names are demangled. */
	bool (*accept)(void *arg, const char *name);
	void *arg;
};

/*
 * Return true if the search accepts the name of a function in the code that the recording maps:
 * symbols first, then the functions of debug information, which also lists inlined functions.
 * -ENOMEM.
 */
int flt_definitions_have(const struct flt_definitions_search *search);

#endif
