// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * heap.c - how jemalloc, which is linked in, behaves in a recorded program.
 *
 * It takes its memory with mmap and gives it back with madvise, both ours, so
 * the region is its only source. Freed pages go back after a second: kept for
 * jemalloc's usual ten they would be evicted as if they were data.
 */
__attribute__((visibility("default")))
const char *malloc_conf =
	"dirty_decay_ms:1000,muzzy_decay_ms:0,thp:never,metadata_thp:disabled,background_thread:false";
