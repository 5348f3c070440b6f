/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * document.h - the frame that all pictures share: root element, title, style and script.
 *
 * A picture is a file of its own or an element of a page. A file carries its style and script; a
 * page contains them once for all its pictures. Nothing is loaded from elsewhere. Colours are CSS
 * variables of kit.css, which also has those for dark mode. Essential colours are attributes too,
 * for viewers that do not know CSS variables.
 */
#ifndef FLT_VIEW_DOCUMENT_H
#define FLT_VIEW_DOCUMENT_H

#include <stdbool.h>
#include <stdio.h>

struct flt_svg {
	const char *kind;	/* class of the root element */
	const char *size;	/* attributes of the root element: its size and data-* */
	const char *title;
	const char *subtitle;	/* NULL: none */
	const char *css, *js;	/* of this kind; js NULL: none */
	unsigned int left;	/* of title and subtitle */
	bool alone;		/* a file of its own */
};

/* Write everything up to the picture itself, which begins below y = 40. */
void flt_svg_open(FILE *out, const struct flt_svg *svg);
void flt_svg_close(FILE *out, const struct flt_svg *svg);

#endif
