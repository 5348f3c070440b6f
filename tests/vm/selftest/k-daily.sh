#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: daily=6.1
# Promise: check runs this test on 6.12 only if -l is given.
true
