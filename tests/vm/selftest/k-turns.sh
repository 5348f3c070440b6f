#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: turns=6.1,6.12,7.3
# Promise: check runs this test on 6.12 with FLT_TURN=2, and with FLT_TURN=0 if -l is given.
true
