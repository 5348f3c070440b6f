// SPDX-License-Identifier: GPL-2.0-or-later
/* Create trace files, and fill and flush one buffer per type of chunk. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "text/clock.h"
#include "source/file/sort.h"
#include "source/file/writer.h"

/*
 * Decoded size of a full chunk. A smaller buffer loses less in a crash and bounds the memory of
 * readers; a larger one compresses better.
 */
#define BUFFER_SIZE (1u << 20)
/* Level 3 would make the file 3 % smaller, and take 10 % more time. */
#define ZSTD_LEVEL 1

static int file_rotate(const char *path, char *kept)
{
	char name[PATH_MAX];
	struct stat st;
	unsigned int i;
	int n;

	kept[0] = '\0';
	if (lstat(path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	for (i = 0; i < 10000; i++) {
		n = i ? snprintf(name, sizeof(name), "%s.old.%u", path, i)
		      : snprintf(name, sizeof(name), "%s.old", path);
		if (n >= (int)sizeof(name))
			return -ENAMETOOLONG;
		/* rename() would replace an existing file. */
		if (!link(path, name)) {
			if (unlink(path))
				return -errno;
			strcpy(kept, name);
			return 0;
		}
		/* The file system has no hard links. */
		if (errno == EPERM || errno == EOPNOTSUPP) {
			if (renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE) == 0) {
				strcpy(kept, name);
				return 0;
			}
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int write_all(int fd, const void *data, size_t size)
{
	const char *at = data;
	ssize_t n;

	while (size) {
		n = write(fd, at, size);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

/*
 * Append a chunk. If that fails, truncate the file to its previous size, so that it ends with a
 * whole chunk.
 */
static int file_append(struct flt_file_writer *w, const void *data, size_t size)
{
	if (w->error)
		return w->error;
	w->error = write_all(w->fd, data, size);
	if (w->error) {
		if (ftruncate(w->fd, (off_t)w->written))
			w->torn = true;
		return w->error;
	}
	w->written += size;
	return 0;
}

static int writer_new(struct flt_file_writer **out)
{
	struct flt_file_writer *w = calloc(1, sizeof(*w));
	unsigned int i;

	*out = w;
	if (!w)
		return -ENOMEM;
	w->fd = -1;
	w->zstd = ZSTD_createCCtx();
	w->packed = malloc(BUFFER_SIZE + FLT_RECORD_SIZE_MAX);
	w->room = sizeof(struct flt_chunk) + 8 +
		  ZSTD_compressBound(BUFFER_SIZE + FLT_RECORD_SIZE_MAX);
	w->out = malloc(w->room);
	if (!w->zstd || !w->packed || !w->out)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	for (i = 0; i < FLT_CHUNK_LAST; i++) {
		w->buffers[i].type = i + 1;
		w->buffers[i].data = malloc(BUFFER_SIZE + FLT_RECORD_SIZE_MAX);
		if (!w->buffers[i].data)
			return -ENOMEM;
	}
	return 0;
}

static int header_write(struct flt_file_writer *w)
{
	struct flt_file_header head = {
		.magic = FLT_FILE_MAGIC,
		.version = FLT_FILE_VERSION,
		.schema = FLT_SCHEMA_VERSION,
	};

	head.time = flt_clock_ns(CLOCK_REALTIME);
	head.clock = flt_clock_ns(CLOCK_MONOTONIC);
	head.checksum = XXH3_64bits(&head, offsetof(struct flt_file_header, checksum));
	return file_append(w, &head, sizeof(head));
}

static int named_open(struct flt_file_writer *w, const char *path, char *kept)
{
	char name[PATH_MAX];
	int err = file_rotate(path, name);

	if (err)
		return err;
	if (kept)
		strcpy(kept, name);
	w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return w->fd < 0 ? -errno : 0;
}

int flt_file_create(struct flt_file_writer **out, const char *path, char *kept)
{
	struct flt_file_writer *w;
	int err = writer_new(&w);

	if (!err)
		err = named_open(w, path, kept);
	if (!err)
		err = header_write(w);
	if (err)
		flt_file_abandon(w);
	else
		*out = w;
	return err;
}

const char *flt_file_temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

/* Open a file without a name. Some file systems can only remove the name. */
static int unnamed_open(const char *folder)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[PATH_MAX];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	if (snprintf(path, sizeof(path), "%s/flt.XXXXXX", folder) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int flt_file_create_temporary(struct flt_file_writer **out, int *fd)
{
	struct flt_file_writer *w;
	int err = writer_new(&w);

	*fd = unnamed_open(flt_file_temporary_folder());
	if (!err && *fd >= 0)
		w->fd = fcntl(*fd, F_DUPFD_CLOEXEC, 0);
	if (!err && (*fd < 0 || w->fd < 0))
		err = -errno;
	if (!err)
		err = header_write(w);
	if (!err) {
		*out = w;
		return 0;
	}
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	flt_file_abandon(w);
	return err;
}

static int buffer_flush(struct flt_file_writer *w, struct flt_file_buffer *b)
{
	struct flt_chunk *head = (struct flt_chunk *)w->out;
	unsigned char *body = w->out + sizeof(*head);
	size_t element = flt_chunk_element(b->type), n, total;
	const void *data = b->data;
	int err;

	if (!b->size || w->error) {
		b->size = b->count = 0;
		return w->error;
	}
	memset(head, 0, sizeof(*head));
	if (b->type == FLT_CHUNK_FAULTS) {
		flt_file_sort((struct flt_file_fault *)(void *)b->data, b->count);
		w->faults += b->count;
	} else if (b->type == FLT_CHUNK_STACKS) {
		w->nodes += b->count;
	}
	head->magic = FLT_CHUNK_MAGIC;
	head->type = (uint16_t)b->type;
	head->size = (uint32_t)b->size;
	head->count = b->count;
	head->cpu = ~0u;
	head->sequence = w->chunks;
	head->first = b->first;
	head->last = b->last;
	memcpy(head->lost, w->lost, sizeof(head->lost));
	if (element) {
		flt_planes_pack(w->packed, b->data, b->size, element);
		data = w->packed;
		head->flags |= FLT_CHUNK_PLANES;
	}
	n = ZSTD_compress2(w->zstd, body, w->room - sizeof(*head) - 8, data, b->size);
	if (ZSTD_isError(n) || n >= b->size) {
		memcpy(body, data, b->size);
		n = b->size;
	} else {
		head->flags |= FLT_CHUNK_ZSTD;
	}
	head->length = (uint32_t)n;
	head->body = XXH3_64bits(body, n);
	head->checksum = XXH3_64bits(head, offsetof(struct flt_chunk, checksum));
	total = sizeof(*head) + n;
	memset(w->out + total, 0, -total & 7);
	total += -total & 7;
	err = file_append(w, w->out, total);
	w->chunks++;
	b->size = b->count = 0;
	b->first = b->last = 0;
	return err;
}

/* Flush in the order of types, because a chunk may refer to earlier chunks only. */
static int buffers_flush(struct flt_file_writer *w, unsigned int upto)
{
	unsigned int i;
	int err;

	for (i = 0; i < upto; i++) {
		err = buffer_flush(w, &w->buffers[i]);
		if (err)
			return err;
	}
	return 0;
}

int flt_file_flush(struct flt_file_writer *w)
{
	return buffers_flush(w, FLT_CHUNK_LAST);
}

/* Reserve room that is not zeroed. */
static inline void *reserve(struct flt_file_writer *w, enum flt_chunk_type type, size_t size,
			    uint64_t time)
{
	struct flt_file_buffer *b = &w->buffers[type - 1];
	void *at;

	if (w->error)
		return NULL;
	if (b->size + size > BUFFER_SIZE && buffers_flush(w, type))
		return NULL;
	at = b->data + b->size;
	b->size += size;
	b->count++;
	if (time && (!b->first || time < b->first))
		b->first = time;
	if (time > b->last)
		b->last = time;
	return at;
}

void *flt_file_reserve(struct flt_file_writer *w, enum flt_chunk_type type, size_t size,
		       uint64_t time)
{
	void *at = reserve(w, type, size, time);

	return at ? memset(at, 0, size) : NULL;
}

int flt_file_fault(struct flt_file_writer *w, const struct flt_fault *fault)
{
	struct flt_file_fault *f = reserve(w, FLT_CHUNK_FAULTS, sizeof(*f), fault->time);

	if (!f)
		return w->error;
	flt_fault_encode(f, fault);
	return 0;
}

int flt_file_faults(struct flt_file_writer *w, const struct flt_fault *faults, size_t n)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < n; i++)
		err = flt_file_fault(w, &faults[i]);
	return err;
}

int flt_file_error(const struct flt_file_writer *w)
{
	return w->error;
}

void flt_file_lost(struct flt_file_writer *w, enum flt_file_loss cause, uint64_t n)
{
	w->lost[cause] += n;
}

uint64_t flt_file_lost_by(const struct flt_file_writer *w, enum flt_file_loss cause)
{
	return w->lost[cause];
}

uint64_t flt_file_lost_sum(const struct flt_file_writer *w)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < __FLT_LOSS_LAST; i++)
		sum += w->lost[i];
	return sum;
}

uint64_t flt_file_written(const struct flt_file_writer *w)
{
	return w->written;
}

void flt_file_abandon(struct flt_file_writer *w)
{
	unsigned int i;

	if (!w)
		return;
	for (i = 0; i < FLT_CHUNK_LAST; i++)
		free(w->buffers[i].data);
	for (i = 0; i < w->image_count; i++)
		flt_file_image_free(&w->images[i]);
	free(w->images);
	flt_build_ids_free(&w->build_ids);
	ZSTD_freeCCtx(w->zstd);
	free(w->packed);
	free(w->out);
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

int flt_file_close(struct flt_file_writer *w, uint64_t produced, uint32_t status)
{
	struct flt_record_end *end;
	int err;

	flt_file_flush(w);
	end = flt_file_reserve(w, FLT_CHUNK_RECORDS, sizeof(*end), 0);
	if (end) {
		end->head.type = FLT_RECORD_END;
		end->head.size = sizeof(*end);
		end->head.time = flt_clock_ns(CLOCK_MONOTONIC);
		end->produced = produced;
		end->faults = w->faults;
		end->nodes = w->nodes;
		end->chunks = w->chunks;
		end->status = status;
		flt_file_flush(w);
	}
	err = w->error;
	/* With quota and network file systems a full disk may be reported only now. */
	if (close(w->fd) && !err)
		err = -errno;
	w->fd = -1;
	flt_file_abandon(w);
	return err;
}
