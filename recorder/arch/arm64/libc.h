/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_LIBC_H
#define FLT_REC_ARM64_LIBC_H

#define REC_LIBC_VERSION "GLIBC_2.17"
#define REC_LIBC_LINKER "/lib/ld-linux-aarch64.so.1"
#define REC_LIBC_MACHINE EM_AARCH64
#define REC_LIBC_OTHER "is not a 64-bit Arm program"

#endif
