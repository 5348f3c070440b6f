# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What in a kernel log fails a run, wherever it came from. Boot lines of KASAN,
# lockdep and kmemleak announce themselves with the same words: hence the colons.
# A stall report of RCU is left out: a busy host makes those.
# shellcheck disable=SC2034 # for those who source this
SPLAT='BUG: |WARNING: |Oops: |KASAN: |KFENCE: |UBSAN: |ODEBUG: |Kernel panic'
SPLAT+='|INFO: (possible|inconsistent|trying to register|task .* blocked)'
SPLAT+='|possible (circular|recursive|irq)|suspicious RCU usage|inconsistent lock state'
SPLAT+='|held lock freed|bad unlock balance|bad contention|DEBUG_LOCKS_WARN_ON'
SPLAT+='|general protection fault|unable to handle|Bad page (state|map)|scheduling while atomic'
SPLAT+='|sleeping function called|list_(add|del) corruption|refcount_t: '
SPLAT+='|kmemleak: memory lost|flt-vm: '
