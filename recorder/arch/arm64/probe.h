/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FLT_REC_ARM64_PROBE_H
#define FLT_REC_ARM64_PROBE_H

#define REC_PROBE_LOAD "ldr x2, [x0]\nstr x2, [x1]\nmov w0, #1\nret\n"
#define REC_PROBE_FAIL "mov w0, #0\nret\n"

#endif
