// SPDX-License-Identifier: LGPL-2.1-or-later
/* pager.c - a pager from opening to closing, and what is asked of it. */
#include "pager.h"
#include "uffd_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef UFFD_FEATURE_POISON		/* 6.6 */
#define UFFD_FEATURE_POISON (1 << 14)
#endif

uint64_t fltuffd_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int open_uffd(struct fltuffd *p)
{
	static const uint64_t wanted[] = {
		UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_PAGEFAULT_FLAG_WP |
			UFFD_FEATURE_EXACT_ADDRESS | UFFD_FEATURE_POISON,
		UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_EXACT_ADDRESS,
		UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_PAGEFAULT_FLAG_WP,
	};
	struct uffdio_register r = {
		.range = { (uintptr_t)p->memory, p->pages * FLTUFFD_PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP,
	};
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct uffdio_api api = { .api = UFFD_API, .features = wanted[i] };

		p->uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
		if (p->uffd < 0)
			return -errno;
		if (!ioctl(p->uffd, UFFDIO_API, &api)) {
			p->has_poison = i == 0;
			return ioctl(p->uffd, UFFDIO_REGISTER, &r) ? -errno : 0;
		}
		close(p->uffd);
		p->uffd = -1;
	}
	return -EOPNOTSUPP;
}

static void *anonymous(size_t bytes)
{
	void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

int fltuffd_open(struct fltuffd **pager, const struct fltuffd_config *config)
{
	struct fltuffd *p = calloc(1, sizeof(*p));
	int ret = -ENOMEM;

	if (!p) {
		if (config->backing.close)
			config->backing.close(config->backing.context);
		return -ENOMEM;
	}
	p->config = *config;
	p->uffd = p->mem = p->stop = p->store = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->loaded, NULL);
	p->pages = (config->bytes + FLTUFFD_PAGE - 1) / FLTUFFD_PAGE;
	p->limit = config->limit / FLTUFFD_PAGE;
	ret = -EINVAL;
	if (!p->pages || p->pages > UINT32_MAX || !config->backing.read || config->prefetch > 255 ||
	    (config->limit && p->limit < 16))
		goto err;
	ret = -ENOMEM;
	p->memory = anonymous(p->pages * FLTUFFD_PAGE);
	p->state = anonymous(p->pages);
	for (p->mask = 1; p->mask < p->pages; p->mask <<= 1)
		;
	p->queue = anonymous(p->mask-- * sizeof(*p->queue));
	if (config->records)
		p->record = anonymous(config->records * sizeof(*p->record));
	if (!p->memory || !p->state || !p->queue || (config->records && !p->record))
		goto err;
	madvise(p->memory, p->pages * FLTUFFD_PAGE, MADV_NOHUGEPAGE);
	madvise(p->memory, p->pages * FLTUFFD_PAGE, MADV_DONTFORK);
	p->mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	p->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->mem < 0 || p->stop < 0) {
		ret = -errno;
		goto err;
	}
	ret = open_uffd(p);
	if (ret)
		goto err;
	p->threads = config->threads ? config->threads : 1;
	p->thread = calloc(p->threads, sizeof(*p->thread));
	ret = p->thread ? 0 : -ENOMEM;
	for (unsigned int i = 0; i < p->threads && !ret; i++) {
		ret = -pthread_create(&p->thread[i], NULL, fltuffd_thread, p);
		if (ret)
			p->threads = i;
	}
	if (ret)
		goto err;
	*pager = p;
	return 0;
err:
	if (!p->thread)
		p->threads = 0;
	fltuffd_close(p);
	return ret;
}

void fltuffd_close(struct fltuffd *p)
{
	uint64_t one = 1;

	if (!p)
		return;
	if (p->stop >= 0 && write(p->stop, &one, sizeof(one)) == sizeof(one))
		for (unsigned int i = 0; i < p->threads; i++)
			pthread_join(p->thread[i], NULL);
	if (p->memory)
		munmap(p->memory, p->pages * FLTUFFD_PAGE);
	if (p->state)
		munmap(p->state, p->pages);
	if (p->queue)
		munmap(p->queue, (p->mask + 1) * sizeof(*p->queue));
	if (p->record)
		munmap(p->record, p->config.records * sizeof(*p->record));
	if (p->uffd >= 0)
		close(p->uffd);
	if (p->mem >= 0)
		close(p->mem);
	if (p->stop >= 0)
		close(p->stop);
	if (p->store >= 0)
		close(p->store);
	if (p->config.backing.close)
		p->config.backing.close(p->config.backing.context);
	pthread_cond_destroy(&p->loaded);
	pthread_mutex_destroy(&p->lock);
	free(p->order);
	free(p->thread);
	free(p);
}

void *fltuffd_memory(const struct fltuffd *p)
{
	return p->memory;
}

size_t fltuffd_bytes(const struct fltuffd *p)
{
	return p->pages * FLTUFFD_PAGE;
}

int fltuffd_error(const struct fltuffd *p)
{
	return __atomic_load_n(&p->error, __ATOMIC_RELAXED);
}

int fltuffd_load(struct fltuffd *p, uint64_t offset, size_t n)
{
	size_t page = offset / FLTUFFD_PAGE, end = (offset + n + FLTUFFD_PAGE - 1) / FLTUFFD_PAGE;
	char *buffer;
	int ret = 0;

	if (end > p->pages || end < page)
		return -ERANGE;
	/* with a limit the first pages would go again before the last are in */
	buffer = anonymous(FLTUFFD_RUN * FLTUFFD_PAGE);
	if (!buffer)
		return -ENOMEM;
	pthread_mutex_lock(&p->lock);
	while (page < end && !ret) {
		switch (p->state[page] & PAGE_STATE) {
		case PAGE_LOADING:
			pthread_cond_wait(&p->loaded, &p->lock);
			break;
		case PAGE_ABSENT:
			ret = fltuffd_fill(p, page, end - page > FLTUFFD_RUN ? FLTUFFD_RUN - 1 :
					   (unsigned int)(end - page - 1), false, false, buffer);
			break;
		case PAGE_BROKEN:
			ret = p->error;
			break;
		default:
			page++;
		}
	}
	pthread_mutex_unlock(&p->lock);
	munmap(buffer, FLTUFFD_RUN * FLTUFFD_PAGE);
	return ret;
}

int fltuffd_sync(struct fltuffd *p)
{
	char *buffer;
	int ret = 0, one;

	if (!p->config.backing.write)
		return -EROFS;
	buffer = anonymous(FLTUFFD_PAGE);
	if (!buffer)
		return -ENOMEM;
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->pages; i++) {
		if ((p->state[i] & PAGE_STATE) != PAGE_DIRTY)
			continue;
		one = fltuffd_write_back(p, i, buffer);
		if (one && !ret)
			ret = one;
	}
	pthread_mutex_unlock(&p->lock);
	munmap(buffer, FLTUFFD_PAGE);
	return ret;
}

void fltuffd_stats(struct fltuffd *p, struct fltuffd_stats *stats)
{
	pthread_mutex_lock(&p->lock);
	*stats = p->stats;
	pthread_mutex_unlock(&p->lock);
}
