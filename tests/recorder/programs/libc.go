// SPDX-License-Identifier: GPL-2.0-or-later

// Make the run-time library of Go call libc, because a part of the program does.
package main

// #include <stdlib.h>
import "C"

func init() {
	C.free(C.malloc(1))
}
