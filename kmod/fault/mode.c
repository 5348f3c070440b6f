// SPDX-License-Identifier: GPL-2.0-only
#include "fault/mode.h"

DEFINE_STATIC_KEY_FALSE(flt_mode_switching);
DEFINE_PER_CPU(u8, flt_mode_here);
