// SPDX-License-Identifier: GPL-2.0-only
#include "account/delays.h"

DEFINE_STATIC_KEY_FALSE(flt_delays_on);
