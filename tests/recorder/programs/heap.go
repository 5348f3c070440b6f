// SPDX-License-Identifier: GPL-2.0-or-later
// Fill 200 MiB of heap, and read it twice. Go gets its memory from libc, because it calls C.
package main

// #include <stdlib.h>
import "C"
import "fmt"

func main() {
	var pieces [][]byte
	sum := 0

	C.free(C.malloc(1))
	for i := 0; i < 200; i++ {
		piece := make([]byte, 1<<20)
		for j := range piece {
			piece[j] = byte(i)
		}
		pieces = append(pieces, piece)
	}
	for round := 0; round < 2; round++ {
		for _, piece := range pieces {
			for j := 0; j < len(piece); j += 1024 {
				sum += int(piece[j])
			}
		}
	}
	fmt.Println(sum)
}
