// SPDX-License-Identifier: GPL-2.0-or-later

// Maps of strings, used by goroutines.
package main

import (
	"fmt"
	"sort"
	"sync"
)

func main() {
	words := make([]string, 400000)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i*7919%1000003)
	}
	var group sync.WaitGroup
	sums := make([]int, 4)
	for part := 0; part < 4; part++ {
		group.Add(1)
		go func(part int) {
			defer group.Done()
			counts := map[string]int{}
			for i := part; i < len(words); i += 4 {
				counts[words[i]] += len(words[i])
			}
			for _, n := range counts {
				sums[part] += n
			}
		}(part)
	}
	group.Wait()
	sort.Strings(words)
	fmt.Println(sums, words[:3])
}
