/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LINES_H
#define LINES_H

#define PAGES 400

void lines_touch(volatile char *at);

#endif
