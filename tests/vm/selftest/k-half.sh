#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: half=6.12
# Promise: check runs this test on 6.12 with FLT_HALF=1, and with FLT_HALF=0 if -l is given.
true
