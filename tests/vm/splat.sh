# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# SPLAT matches the lines of a kernel log that fail a run. The colons exclude boot messages
# of KASAN, lockdep and kmemleak. RCU stall reports are excluded, because a busy host causes
# them.
# shellcheck disable=SC2034 # used by scripts that source this file
SPLAT='BUG: |WARNING: |Oops: |KASAN: |KFENCE: |UBSAN: |ODEBUG: |Kernel panic'
SPLAT+='|INFO: (possible|inconsistent|trying to register|task .* blocked)'
SPLAT+='|possible (circular|recursive|irq)|suspicious RCU usage|inconsistent lock state'
SPLAT+='|held lock freed|bad unlock balance|bad contention|DEBUG_LOCKS_WARN_ON'
SPLAT+='|general protection fault|[Uu]nable to handle|Internal error: |Bad page (state|map)'
SPLAT+='|scheduling while atomic|sleeping function called|list_(add|del) corruption|refcount_t: '
SPLAT+='|kmemleak: memory lost|flt-vm: '
