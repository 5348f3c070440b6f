// SPDX-License-Identifier: GPL-2.0-or-later
/* image.c - the one image of this process. */
#include "image.h"

struct rec_image rec_image;
