/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_X86_LIBC_H
#define FLT_REC_X86_LIBC_H

#define REC_LIBC_VERSION "GLIBC_2.2.5"
#define REC_LIBC_LINKER "/lib64/ld-linux-x86-64.so.2"
#define REC_LIBC_MACHINE EM_X86_64
#define REC_LIBC_OTHER "is not a 64-bit x86 program"

#endif
