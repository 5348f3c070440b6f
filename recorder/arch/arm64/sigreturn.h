/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_SIGRETURN_H
#define FLT_REC_ARM64_SIGRETURN_H

#include <stddef.h>

/* The kernel takes the code in the vDSO, which is also in the memory of the server. */
#define REC_SIGRETURN_FLAG 0
#define rec_sigreturn NULL

#endif
