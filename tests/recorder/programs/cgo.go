// SPDX-License-Identifier: GPL-2.0-or-later

// Memory of malloc() and of Go in one program.
package main

/*
#include <stdlib.h>
#include <string.h>

static long fill(long pages)
{
	long sum = 0, i;
	char *p = malloc(pages * 4096);

	for (i = 0; i < pages; i++)
		memset(p + i * 4096, (int)i, 4096);
	for (i = 0; i < pages; i++)
		sum += p[i * 4096 + 7];
	free(p);
	return sum;
}
*/
import "C"

import (
	"fmt"
	"sync"
)

func main() {
	var group sync.WaitGroup
	sums := make([]int64, 4)
	for part := 0; part < 4; part++ {
		group.Add(1)
		go func(part int) {
			defer group.Done()
			sums[part] = int64(C.fill(C.long(2000 + part)))
			block := make([]byte, 8<<20)
			for i := range block {
				block[i] = byte(i * part)
			}
			for i := 0; i < len(block); i += 4093 {
				sums[part] += int64(block[i])
			}
		}(part)
	}
	group.Wait()
	fmt.Println(sums)
}
