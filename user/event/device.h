/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device.h - the number of a device: major << 20 | minor. */
#ifndef FLT_EVENT_DEVICE_H
#define FLT_EVENT_DEVICE_H

#include <stdint.h>

/* Convert from the kernel's new_encode_dev(), which st_dev and the module's records have. */
static inline uint32_t flt_device_of_kernel(uint32_t dev)
{
	return (dev >> 8 & 0xfff) << 20 | (dev & 0xff) | (dev >> 12 & 0xfff00);
}

#endif
