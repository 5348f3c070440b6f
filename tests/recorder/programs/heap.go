// SPDX-License-Identifier: GPL-2.0-or-later

// Fill 200 MiB of heap, and read it twice. With libc.go, Go gets its memory from libc.
package main

import "fmt"

func main() {
	var pieces [][]byte
	sum := 0

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
