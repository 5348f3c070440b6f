#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: disk=512 zram=1 timeout=300 turns=6.1,6.12,7.3
# shellcheck disable=SC2119
# Promise: after the socket of a session is closed, an unprivileged process that binds its
# port receives nothing, and the session ends.
set -euo pipefail
# shellcheck source=tests/live/live.bash
. tests/live/live.bash

no_sessions() { [ "$(fltq info | field sessions)" = 0 ]; }

load
portgrab 60 >"$tmp/grab"
say "$(cat "$tmp/grab")"
same "sockets that were closed with events to read" "$(field unread <"$tmp/grab")" 60
at_least "calls of bind()" "$(field binds <"$tmp/grab")" 10000
same "messages received by another user" "$(field received <"$tmp/grab")" 0
until_true no_sessions
same "sessions left" "$(fltq info | field sessions)" 0
finish
