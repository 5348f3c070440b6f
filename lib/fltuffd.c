// SPDX-License-Identifier: LGPL-2.1-or-later
/* fltuffd.c - the functions of fltuffd.h: open, close, load, sync, statistics. */
#include "fltuffd.h"

#include "core/uffd.h"
#include "eviction.h"
#include "loader.h"
#include "pager.h"
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_uffd(struct fltuffd *p)
{
	static const uint64_t base = UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_PAGEFAULT_FLAG_WP;
	const uint64_t wanted[] = {
		base | UFFD_FEATURE_EXACT_ADDRESS | UFFD_FEATURE_POISON,	/* 6.6 */
		base | UFFD_FEATURE_EXACT_ADDRESS,				/* 5.18 */
		base,
	};
	struct flt_region *r = &p->region;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct uffdio_api api = { .api = UFFD_API, .features = wanted[i] };

		r->uffd = (int)sys1(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
		if (r->uffd < 0)
			return r->uffd;
		if (!sys3(SYS_ioctl, r->uffd, UFFDIO_API, &api)) {
			p->has_poison = i == 0;
			return uffd_register(r->uffd, r->base, r->count * FLT_PAGE,
					     UFFDIO_REGISTER_MODE_MISSING |
					     UFFDIO_REGISTER_MODE_WP);
		}
		close(r->uffd);
		r->uffd = -1;
	}
	return -EOPNOTSUPP;
}

static void *anonymous(size_t bytes)
{
	void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

static int map_region(struct fltuffd *p)
{
	size_t pages = (p->config.bytes + FLT_PAGE - 1) / FLT_PAGE;
	void *memory;
	int ret;

	if (!pages || pages > UINT32_MAX)
		return -EINVAL;
	memory = anonymous(pages * FLT_PAGE);
	if (!memory)
		return -ENOMEM;
	ret = flt_region_create(&p->region, (uintptr_t)memory, pages);
	if (ret)
		return ret;
	madvise(memory, pages * FLT_PAGE, MADV_NOHUGEPAGE);
	madvise(memory, pages * FLT_PAGE, MADV_DONTFORK);
	p->region.clock = p->config.policy == FLTUFFD_CLOCK;
	p->region.limit = p->config.limit / FLT_PAGE;
	return 0;
}

static int start_workers(struct fltuffd *p)
{
	unsigned int n = p->config.threads ? p->config.threads : 1;
	int ret;

	p->thread = calloc(n, sizeof(*p->thread));
	if (!p->thread)
		return -ENOMEM;
	for (; p->threads < n; p->threads++) {
		ret = -pthread_create(&p->thread[p->threads], NULL, fltuffd_worker, p);
		if (ret)
			return ret;
	}
	return 0;
}

static int prepare(struct fltuffd *p)
{
	const struct fltuffd_config *c = &p->config;
	int ret;

	if (!c->backing.read || c->prefetch > 255 || (c->limit && c->limit / FLT_PAGE < 16))
		return -EINVAL;
	ret = map_region(p);
	if (ret)
		return ret;
	if (c->records) {
		p->record = anonymous(c->records * sizeof(*p->record));
		if (!p->record)
			return -ENOMEM;
	}
	p->region.memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	if (p->region.memory < 0)
		return -errno;
	p->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->stop < 0)
		return -errno;
	ret = open_uffd(p);
	return ret ? ret : start_workers(p);
}

int fltuffd_open(struct fltuffd **pager, const struct fltuffd_config *config)
{
	struct fltuffd *p = calloc(1, sizeof(*p));
	int ret;

	if (!p) {
		if (config->backing.close)
			config->backing.close(config->backing.context);
		return -ENOMEM;
	}
	p->config = *config;
	p->region.uffd = p->region.memory = p->stop = p->store = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->loaded, NULL);
	ret = prepare(p);
	if (ret) {
		fltuffd_close(p);
		return ret;
	}
	*pager = p;
	return 0;
}

static void close_descriptor(int fd)
{
	if (fd >= 0)
		close(fd);
}

void fltuffd_close(struct fltuffd *p)
{
	uint64_t one = 1;

	if (!p)
		return;
	if (p->stop >= 0 && write(p->stop, &one, sizeof(one)) == sizeof(one))
		for (unsigned int i = 0; i < p->threads; i++)
			pthread_join(p->thread[i], NULL);
	if (p->region.base)
		munmap((void *)p->region.base, p->region.count * FLT_PAGE);
	flt_region_destroy(&p->region);
	if (p->record)
		munmap(p->record, p->config.records * sizeof(*p->record));
	close_descriptor(p->region.uffd);
	close_descriptor(p->region.memory);
	close_descriptor(p->stop);
	close_descriptor(p->store);
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
	return (void *)p->region.base;
}

size_t fltuffd_bytes(const struct fltuffd *p)
{
	return p->region.count * FLT_PAGE;
}

int fltuffd_error(const struct fltuffd *p)
{
	int err = __atomic_load_n(&p->error, __ATOMIC_RELAXED);

	return err ? err : __atomic_load_n(&p->write_error, __ATOMIC_RELAXED);
}

/* Load [page, end). Caller holds the lock. */
static int load_all(struct fltuffd *p, size_t page, size_t end, char *buffer)
{
	size_t more;
	int ret = 0;

	while (page < end && !ret) {
		switch (flt_region_state(&p->region, page)) {
		case PAGE_LOADING:
			pthread_cond_wait(&p->loaded, &p->lock);
			break;
		case PAGE_ABSENT:
			more = end - page - 1;
			ret = fltuffd_load_run(p, page, more < FLTUFFD_RUN ? (unsigned int)more :
					       FLTUFFD_RUN - 1, false, false, buffer);
			break;
		case PAGE_BROKEN:
			ret = p->error;
			break;
		default:
			/* With a limit the page may be evicted before the last one is loaded. */
			page++;
		}
	}
	return ret;
}

int fltuffd_load(struct fltuffd *p, uint64_t offset, size_t n)
{
	const uint64_t bytes = (uint64_t)p->region.count * FLT_PAGE;
	size_t page = offset / FLT_PAGE, end;
	char *buffer;
	int ret;

	if (offset > bytes || n > bytes - offset)
		return -ERANGE;
	end = (offset + n + FLT_PAGE - 1) / FLT_PAGE;
	buffer = anonymous(FLTUFFD_BUFFER_BYTES);
	if (!buffer)
		return -ENOMEM;
	pthread_mutex_lock(&p->lock);
	ret = load_all(p, page, end, buffer);
	pthread_mutex_unlock(&p->lock);
	munmap(buffer, FLTUFFD_BUFFER_BYTES);
	return ret;
}

int fltuffd_sync(struct fltuffd *p)
{
	char *buffer;
	int ret = 0, err;

	if (!p->config.backing.write)
		return -EROFS;
	buffer = anonymous(FLT_PAGE);
	if (!buffer)
		return -ENOMEM;
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->region.count; i++) {
		if (flt_region_state(&p->region, i) != PAGE_DIRTY)
			continue;
		err = fltuffd_write_back(p, i, buffer);
		if (err && !ret)
			ret = err;
	}
	pthread_mutex_unlock(&p->lock);
	munmap(buffer, FLT_PAGE);
	return ret;
}

void fltuffd_stats(struct fltuffd *p, struct fltuffd_stats *stats)
{
	pthread_mutex_lock(&p->lock);
	*stats = p->stats;
	stats->resident = p->region.resident;
	stats->resident_peak = p->region.resident_peak;
	pthread_mutex_unlock(&p->lock);
}
