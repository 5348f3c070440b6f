// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jemalloc.c - options of the heap, which is linked in.
 *
 * jemalloc calls mmap() and madvise() of this library, so all its memory is in the region. It
 * returns freed pages after one second. With its default of ten seconds they would be evicted
 * as if they had content.
 */
__attribute__((visibility("default")))
const char *malloc_conf =
	"dirty_decay_ms:1000,muzzy_decay_ms:0,thp:never,metadata_thp:disabled,"
	"background_thread:false";
