/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptor.h - numbers of the recorder's descriptors. */
#ifndef FLT_REC_DESCRIPTOR_H
#define FLT_REC_DESCRIPTOR_H

/*
 * Move a descriptor out of the way of programs that expect low numbers. Return the new one; an
 * error code stays.
 */
int rec_descriptor_raise(int fd);

#endif
