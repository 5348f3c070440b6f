// SPDX-License-Identifier: GPL-2.0-or-later
/* soak_block.c - fill, check and change blocks of memory. The block's seed gives their words. */
#include "soak.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static struct block mail;		/* passed on, but not yet taken */
static pthread_mutex_t mail_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t expected(const struct block *b, size_t i)
{
	return soak_mix(b->seed + i);
}

static void complain(const struct worker *w, const struct block *b, size_t i, const char *where)
{
	uint64_t got = b->word[i];

	if (soak_is_wrong())
		fprintf(stderr, "wrong: worker %u life %u, %s after %s: block %p +%zu word %zu (%p) is %#llx, "
			"not %#llx; again %#llx\n", w->number, w->life, where, b->last, (void *)b->word,
			b->bytes, i, (void *)&b->word[i], (unsigned long long)got,
			(unsigned long long)expected(b, i), (unsigned long long)b->word[i]);
}

static void fill(struct block *b, size_t from, size_t to)
{
	for (size_t i = from / 8; i < to / 8; i++)
		b->word[i] = expected(b, i);
}

/* Check every 16th word from a random start, and the first and the last word. */
static void check(struct worker *w, const struct block *b, size_t bytes, const char *where)
{
	size_t n = bytes / 8;

	if (!n)
		return;
	for (size_t i = soak_chance(w) % 16; i < n; i += 16)
		if (b->word[i] != expected(b, i)) {
			complain(w, b, i, where);
			return;
		}
	if (b->word[0] != expected(b, 0))
		complain(w, b, 0, where);
	if (b->word[n - 1] != expected(b, n - 1))
		complain(w, b, n - 1, where);
}

void soak_block_check(struct worker *w, const struct block *b, const char *where)
{
	check(w, b, b->bytes, where);
}

static void check_zero(struct worker *w, struct block *b, size_t from, size_t to, const char *where)
{
	for (size_t i = from / 8; i < to / 8; i += 8)
		if (b->word[i]) {
			if (soak_is_wrong())
				fprintf(stderr, "wrong: worker %u, %s after %s: %p is %#llx, not 0\n",
					w->number, where, b->last, (void *)&b->word[i],
					(unsigned long long)b->word[i]);
			return;
		}
}

static size_t some_size(struct worker *w)
{
	uint64_t r = soak_chance(w);

	switch (r % 16) {
	case 0: case 1: case 2: case 3: return 8 + (r >> 8) % 500 * 8;
	case 4: case 5: case 6: case 7: return 8 + (r >> 8) % 4000 * 8;
	case 8: return 8 + (r >> 8) % (2u << 20) / 8 * 8;
	default: return 8 + (r >> 8) % (96u << 10) / 8 * 8;
	}
}

void soak_block_drop(struct worker *w, struct block *b)
{
	if (!b->word)
		return;
	check(w, b, b->bytes, "drop");
	if (b->kind == HEAP) {
		free(b->word);
	} else {
		size_t pages = (b->bytes + PAGE - 1) / PAGE, cut = pages > 1 ? soak_chance(w) % pages : 0;

		/* in two parts, in random order */
		if (cut && soak_chance(w) & 1) {
			munmap(b->word, cut * PAGE);
			munmap((char *)b->word + cut * PAGE, (pages - cut) * PAGE);
		} else if (cut) {
			munmap((char *)b->word + cut * PAGE, (pages - cut) * PAGE);
			munmap(b->word, cut * PAGE);
		} else {
			munmap(b->word, b->bytes);
		}
	}
	b->word = NULL;
}

enum { READ_WRITE = PROT_READ | PROT_WRITE, ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

/* Make reserved addresses accessible, by one of two calls. Return true if that worked. */
static int open_reserved(struct worker *w, char *p, size_t bytes)
{
	if (soak_chance(w) & 1)
		return !mprotect(p, bytes, READ_WRITE);
	return mmap(p, bytes, READ_WRITE, ANONYMOUS | MAP_FIXED, -1, 0) == p;
}

/* Reserve more than n bytes, make the middle accessible, and unmap both ends. */
static uint64_t *map_reserved(struct worker *w, size_t n)
{
	size_t bytes = (n + PAGE - 1) & ~(size_t)(PAGE - 1);
	size_t spare = (16 + soak_chance(w) % 64) * PAGE;
	char *p = mmap(NULL, bytes + 2 * spare, PROT_NONE, ANONYMOUS, -1, 0), *middle = p + spare;

	if (p == MAP_FAILED)
		return NULL;
	if (!open_reserved(w, middle, bytes)) {
		munmap(p, bytes + 2 * spare);
		return NULL;
	}
	munmap(p, spare);
	munmap(middle + bytes, spare);
	return (uint64_t *)(void *)middle;
}

void soak_block_make(struct worker *w, struct block *b)
{
	uint64_t r = soak_chance(w);
	size_t n = some_size(w);

	b->bytes = n;
	b->seed = soak_chance(w);
	b->kind = HEAP;
	switch (r % 8) {
	case 0:
		b->word = calloc(1, n);
		b->last = "calloc";
		if (b->word)
			check_zero(w, b, 0, n, "calloc");
		break;
	case 1:
		if (posix_memalign((void **)&b->word, 1u << (4 + r / 8 % 12), n))
			b->word = NULL;
		b->last = "memalign";
		break;
	case 2: case 3: case 4:
		b->kind = MAP;
		b->word = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (b->word == MAP_FAILED)
			b->word = NULL;
		b->last = "mmap";
		if (b->word)
			check_zero(w, b, 0, n, "mmap");
		break;
	case 5:
		b->kind = MAP;
		b->word = map_reserved(w, n);
		b->last = "reserve";
		if (b->word)
			check_zero(w, b, 0, n, "reserve");
		break;
	default:
		b->word = malloc(n);
		b->last = "malloc";
	}
	if (b->word)
		fill(b, 0, n);
}

void soak_block_resize(struct worker *w, struct block *b)
{
	size_t n = some_size(w), keep = n < b->bytes ? n : b->bytes;
	size_t old = (b->bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	void *p;

	if (b->kind == HEAP) {
		p = realloc(b->word, n);
		b->last = "realloc";
		if (!p)
			return;
	} else {
		p = mremap(b->word, b->bytes, n, MREMAP_MAYMOVE);
		b->last = "mremap";
		if (p == MAP_FAILED)
			return;
	}
	b->word = p;
	check(w, b, keep & ~7ul, "resize");
	if (b->kind == MAP && n > old)
		check_zero(w, b, old, n & ~7ul, "growth");
	b->bytes = n;
	fill(b, keep & ~7ul, n);
}

void soak_block_advise(struct worker *w, struct block *b)
{
	size_t pages = b->bytes / PAGE, first, n;

	if (b->kind != MAP || pages < 2)
		return;
	first = soak_chance(w) % (pages - 1);
	n = 1 + soak_chance(w) % (pages - first);
	check(w, b, b->bytes, "before dontneed");
	madvise((char *)b->word + first * PAGE, n * PAGE, MADV_DONTNEED);
	b->last = "dontneed";
	check_zero(w, b, first * PAGE, (first + n) * PAGE, "dontneed");
	fill(b, first * PAGE, (first + n) * PAGE);
	check(w, b, b->bytes, "dontneed");
}

void soak_block_reserve(struct worker *w, struct block *b)
{
	size_t pages = b->bytes / PAGE, first, n;
	char *p;

	if (b->kind != MAP || pages < 2)
		return;
	first = soak_chance(w) % (pages - 1);
	n = 1 + soak_chance(w) % (pages - first);
	p = (char *)b->word + first * PAGE;
	/* Give memory back, but keep the addresses. */
	if (soak_chance(w) & 1) {
		if (mmap(p, n * PAGE, PROT_NONE, ANONYMOUS | MAP_FIXED, -1, 0) != p)
			return;
		b->last = "reserve again";
	} else {
		if (mprotect(p, n * PAGE, PROT_NONE) || madvise(p, n * PAGE, MADV_DONTNEED))
			return;
		b->last = "close";
	}
	if (!open_reserved(w, p, n * PAGE)) {
		if (soak_is_wrong())
			fprintf(stderr, "wrong: worker %u: cannot open after %s, %s\n", w->number,
				b->last, strerror(errno));
		return;
	}
	check_zero(w, b, first * PAGE, (first + n) * PAGE, "reserve");
	fill(b, first * PAGE, (first + n) * PAGE);
	check(w, b, b->bytes, "reserve");
}

void soak_block_protect(struct worker *w, struct block *b)
{
	size_t pages = b->bytes / PAGE, first;

	/* protected pages stay out of the limit for good, so protect few of them, and rarely */
	if (b->kind != MAP || pages < 2 || soak_chance(w) % 8)
		return;
	first = soak_chance(w) % pages;
	mprotect((char *)b->word + first * PAGE, PAGE, PROT_READ);
	b->last = "mprotect";
	check(w, b, b->bytes, "mprotect");
	mprotect((char *)b->word + first * PAGE, PAGE, PROT_READ | PROT_WRITE);
	fill(b, first * PAGE, (first + 1) * PAGE);
}

void soak_block_transfer(struct worker *w, struct block *b)
{
	static const size_t most = 60000;
	size_t n = b->bytes < most ? b->bytes & ~7ul : most, at = 0, end;
	uint64_t *to;

	if (!n)
		return;
	end = (b->bytes - n) & ~7ul;
	at = end ? soak_chance(w) % end & ~7ul : 0;
	to = malloc(n);
	if (!to)
		return;
	if (write(w->pipe[1], (char *)b->word + at, n) != (ssize_t)n ||
	    recv(w->pipe[0], to, n, MSG_WAITALL) != (ssize_t)n) {
		if (soak_is_wrong())
			fprintf(stderr, "wrong: worker %u: short transfer, %s\n", w->number, strerror(errno));
	} else if (memcmp(to, (char *)b->word + at, n)) {
		b->last = "transfer";
		for (size_t i = 0; i < n / 8; i++)
			if (to[i] != expected(b, at / 8 + i)) {
				if (soak_is_wrong())
					fprintf(stderr, "wrong: worker %u: transfer of %p +%zu to %p: word %zu is "
						"%#llx, not %#llx\n", w->number, (void *)b->word, at, (void *)to, i,
						(unsigned long long)to[i],
						(unsigned long long)expected(b, at / 8 + i));
				break;
			}
		check(w, b, b->bytes, "transfer");
	}
	free(to);
}

void soak_block_give(struct worker *w, struct block *b)
{
	struct block was;

	pthread_mutex_lock(&mail_lock);
	was = mail;
	mail = *b;
	pthread_mutex_unlock(&mail_lock);
	*b = was;
	if (b->word)
		check(w, b, b->bytes, "mail");
}
