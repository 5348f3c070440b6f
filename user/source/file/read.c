// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reader of trace files. A file may be truncated, damaged or malicious: every size is
 * checked before it is used, and chunk_check() validates the contents of a chunk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "source/file/file.h"

#define SEARCH_SIZE 65536u

struct flt_file_reader {
	int fd;
	struct flt_file_header head;
	uint64_t offset;	/* expected start of the next chunk */
	uint64_t size;
	uint64_t sequence;	/* expected sequence number of the next chunk */
	unsigned char *raw, *planes, *data;
	struct flt_fault *faults;
	ZSTD_DCtx *zstd;
};

const char *flt_damage_text(enum flt_damage damage)
{
	switch (damage) {
	case FLT_DAMAGE_NONE:
		return "whole";
	case FLT_DAMAGE_SHORT:
		return "the file ends inside a chunk";
	case FLT_DAMAGE_HEADER:
		return "no valid chunk header here";
	case FLT_DAMAGE_BOUNDS:
		return "chunk type, flags or sizes out of bounds";
	case FLT_DAMAGE_BODY:
		return "payload differs from its checksum";
	case FLT_DAMAGE_CODE:
		return "payload does not decode";
	case FLT_DAMAGE_CONTENT:
		return "malformed record or element in the payload";
	case FLT_DAMAGE_SEQUENCE:
		return "chunks are missing before this one";
	}
	return "damaged";
}

static int read_at(const struct flt_file_reader *r, void *to, size_t size, uint64_t offset)
{
	char *at = to;
	ssize_t n;

	while (size) {
		n = pread(r->fd, at, size, (off_t)offset);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (!n)
			return -ENODATA;
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

int flt_file_open(struct flt_file_reader **out, const char *path, uint32_t *version)
{
	struct flt_file_reader *r;
	struct stat st;
	int err;

	*version = 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	/* Do not block if the path is a FIFO. */
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->fd < 0 || fstat(r->fd, &st)) {
		err = -errno;
		goto err_free;
	}
	err = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (!S_ISREG(st.st_mode))
		goto err_free;
	r->size = (uint64_t)st.st_size;
	err = read_at(r, &r->head, sizeof(r->head), 0);
	if (err) {
		err = err == -ENODATA ? -EINVAL : err;
		goto err_free;
	}
	*version = r->head.version;
	err = -EPROTO;
	if (r->head.magic == __builtin_bswap64(FLT_FILE_MAGIC)) {
		*version = 0;
		goto err_free;
	}
	if (r->head.magic != FLT_FILE_MAGIC) {
		err = -EINVAL;
		goto err_free;
	}
	if (r->head.checksum != XXH3_64bits(&r->head, offsetof(struct flt_file_header, checksum))) {
		err = -EBADMSG;
		goto err_free;
	}
	if (r->head.version >> 16 != FLT_FILE_VERSION >> 16 ||
	    r->head.schema >> 16 != FLT_SCHEMA_VERSION >> 16)
		goto err_free;
	err = -ENOMEM;
	r->raw = malloc(FLT_CHUNK_SIZE_MAX);
	r->planes = malloc(FLT_CHUNK_SIZE_MAX);
	r->data = malloc(FLT_CHUNK_SIZE_MAX);
	r->faults = malloc(FLT_CHUNK_SIZE_MAX / sizeof(struct flt_file_fault) * sizeof(*r->faults));
	r->zstd = ZSTD_createDCtx();
	if (!r->raw || !r->planes || !r->data || !r->faults || !r->zstd)
		goto err_free;
	r->offset = sizeof(r->head);
	*out = r;
	return 0;

err_free:
	flt_file_done(r);
	return err;
}

void flt_file_done(struct flt_file_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	ZSTD_freeDCtx(r->zstd);
	free(r->raw);
	free(r->planes);
	free(r->data);
	free(r->faults);
	free(r);
}

const struct flt_file_header *flt_file_head(const struct flt_file_reader *r)
{
	return &r->head;
}

uint64_t flt_file_size(const struct flt_file_reader *r)
{
	return r->size;
}

static bool head_valid(const struct flt_chunk *head)
{
	return head->magic == FLT_CHUNK_MAGIC &&
	       head->checksum == XXH3_64bits(head, offsetof(struct flt_chunk, checksum));
}

/* Return the offset of the next valid header (aligned to 8), or the end of the file. */
static uint64_t head_search(struct flt_file_reader *r, uint64_t from)
{
	struct flt_chunk head;
	uint32_t magic;
	size_t n, i;

	for (from = (from + 7) & ~7ull; from + sizeof(head) <= r->size; from += SEARCH_SIZE) {
		n = r->size - from < SEARCH_SIZE ? (size_t)(r->size - from) : SEARCH_SIZE;
		if (read_at(r, r->raw, n, from))
			break;
		for (i = 0; i + sizeof(magic) <= n; i += 8) {
			memcpy(&magic, r->raw + i, sizeof(magic));
			if (magic == FLT_CHUNK_MAGIC &&
			    !read_at(r, &head, sizeof(head), from + i) && head_valid(&head))
				return from + i;
		}
	}
	return r->size;
}

static bool head_bounded(const struct flt_chunk *head)
{
	size_t element = flt_chunk_element(head->type);

	if (!head->type || head->type > FLT_CHUNK_LAST || head->flags & ~__FLT_CHUNK_FLAGS_ALL)
		return false;
	if (!head->length || head->length > FLT_CHUNK_SIZE_MAX ||
	    !head->size || head->size > FLT_CHUNK_SIZE_MAX)
		return false;
	if (!(head->flags & FLT_CHUNK_ZSTD) && head->length != head->size)
		return false;
	if (element)
		return head->size % element == 0 && head->count == head->size / element;
	return !(head->flags & FLT_CHUNK_PLANES) && head->size % 8 == 0;
}

static bool body_decode(struct flt_file_reader *r, const struct flt_chunk *head)
{
	const unsigned char *from = r->raw;
	size_t n;

	if (head->flags & FLT_CHUNK_ZSTD) {
		n = ZSTD_decompressDCtx(r->zstd, r->planes, FLT_CHUNK_SIZE_MAX, r->raw,
					head->length);
		if (ZSTD_isError(n) || n != head->size)
			return false;
		from = r->planes;
	}
	if (head->type == FLT_CHUNK_FAULTS)
		flt_faults_decode(r->faults, from, head->count, head->flags & FLT_CHUNK_PLANES);
	else if (head->flags & FLT_CHUNK_PLANES)
		flt_planes_unpack(r->data, from, head->size, flt_chunk_element(head->type));
	else
		memcpy(r->data, from, head->size);
	return true;
}

/* Return the size of header and body; SIZE_MAX: unknown type. Set *text if a string follows. */
static size_t record_body(unsigned int type, bool *text)
{
	*text = false;
	switch (type) {
	case FLT_RECORD_INFO:
	case FLT_RECORD_THREAD:
	case FLT_RECORD_COMM:
	case FLT_RECORD_CGROUP:
		*text = true;
		return sizeof(struct flt_record);
	case FLT_RECORD_IMAGE:
		*text = true;
		return sizeof(struct flt_record_image);
	case FLT_RECORD_MAP:
		*text = true;
		return sizeof(struct flt_record_map);
	case FLT_RECORD_EXIT:
		return sizeof(struct flt_record_exit);
	case FLT_RECORD_UNMAP:
		return sizeof(struct flt_record_unmap);
	case FLT_RECORD_MOVE:
		return sizeof(struct flt_record_move);
	case FLT_RECORD_STATS:
		return sizeof(struct flt_record_stats);
	case FLT_RECORD_END:
		return sizeof(struct flt_record_end);
	default:
		return SIZE_MAX;
	}
}

static bool record_check(const struct flt_record *rec)
{
	const struct flt_record_image *image;
	const struct flt_record_map *map;
	size_t body;
	bool text;

	body = record_body(rec->type, &text);
	if (body == SIZE_MAX)
		return true;
	if (rec->size < body + (text ? 1 : 0))
		return false;
	if (text && !memchr((const char *)rec + body, '\0', rec->size - body))
		return false;
	if (rec->type == FLT_RECORD_MAP || rec->type == FLT_RECORD_UNMAP ||
	    rec->type == FLT_RECORD_MOVE) {
		/* start and end have the same offsets in all. */
		map = (const struct flt_record_map *)rec;
		if (map->start >= map->end || !rec->image)
			return false;
		if (rec->type == FLT_RECORD_MAP && map->build_id_size > FLT_BUILD_ID_MAX)
			return false;
	}
	if (rec->type == FLT_RECORD_IMAGE) {
		image = (const struct flt_record_image *)rec;
		return rec->image && image->parent < rec->image;
	}
	return true;
}

const struct flt_record *flt_file_record(const struct flt_file_chunk *c,
					 const struct flt_record *prev)
{
	const char *at = prev ? (const char *)prev + prev->size : c->data;

	if (c->head.type != FLT_CHUNK_RECORDS || at >= (const char *)c->data + c->head.size)
		return NULL;
	return (const struct flt_record *)(const void *)at;
}

static bool records_check(const struct flt_chunk *head, const unsigned char *data)
{
	const struct flt_record *rec;
	size_t at = 0, n = 0;

	while (at < head->size) {
		if (head->size - at < sizeof(*rec))
			return false;
		rec = (const struct flt_record *)(const void *)(data + at);
		if (rec->size < sizeof(*rec) || rec->size % 8 || rec->size > head->size - at ||
		    rec->size > FLT_RECORD_SIZE_MAX || !record_check(rec))
			return false;
		at += rec->size;
		n++;
	}
	return n == head->count;
}

static bool chunk_check(const struct flt_chunk *head, const void *data)
{
	const struct flt_fault *fault = data;
	const struct flt_file_node *node = data;
	uint32_t i;

	switch (head->type) {
	case FLT_CHUNK_RECORDS:
		return records_check(head, data);
	case FLT_CHUNK_STACKS:
		for (i = 0; i < head->count; i++)
			if (!node[i].image || !node[i].id || node[i].parent >= node[i].id)
				return false;
		return true;
	default:
		for (i = 0; i < head->count; i++)
			if (!fault[i].image || fault[i].flags & ~__FLT_FAULT_FLAGS_ALL ||
			    fault[i].kind > FLT_KIND_MAX)
				return false;
		return true;
	}
}

static int damaged(struct flt_file_reader *r, struct flt_file_chunk *c, enum flt_damage damage,
		   uint64_t next)
{
	c->damage = damage;
	c->skipped = next - c->offset;
	r->offset = next;
	return -EBADMSG;
}

int flt_file_next(struct flt_file_reader *r, struct flt_file_chunk *c)
{
	uint64_t end;
	int err;

	memset(c, 0, sizeof(*c));
	c->offset = r->offset;
	if (r->offset >= r->size)
		return 0;
	if (r->size - r->offset < sizeof(c->head))
		return damaged(r, c, FLT_DAMAGE_SHORT, r->size);
	err = read_at(r, &c->head, sizeof(c->head), r->offset);
	if (err)
		return err == -ENODATA ? damaged(r, c, FLT_DAMAGE_SHORT, r->size) : err;
	if (!head_valid(&c->head))
		return damaged(r, c, FLT_DAMAGE_HEADER, head_search(r, r->offset + 8));
	if (!head_bounded(&c->head))
		return damaged(r, c, FLT_DAMAGE_BOUNDS, head_search(r, r->offset + 8));
	end = r->offset + sizeof(c->head) + ((c->head.length + 7ull) & ~7ull);
	if (end > r->size)
		return damaged(r, c, FLT_DAMAGE_SHORT, head_search(r, r->offset + 8));
	/* Chunks are missing before this one. The next call returns this one. */
	if (c->head.sequence != r->sequence) {
		r->sequence = c->head.sequence;
		c->damage = FLT_DAMAGE_SEQUENCE;
		return -EBADMSG;
	}
	r->sequence++;
	err = read_at(r, r->raw, c->head.length, r->offset + sizeof(c->head));
	if (err)
		return err == -ENODATA ? damaged(r, c, FLT_DAMAGE_SHORT, r->size) : err;
	if (c->head.body != XXH3_64bits(r->raw, c->head.length))
		return damaged(r, c, FLT_DAMAGE_BODY, end);
	if (!body_decode(r, &c->head))
		return damaged(r, c, FLT_DAMAGE_CODE, end);
	c->data = c->head.type == FLT_CHUNK_FAULTS ? (const void *)r->faults : r->data;
	if (!chunk_check(&c->head, c->data)) {
		c->data = NULL;
		return damaged(r, c, FLT_DAMAGE_CONTENT, end);
	}
	r->offset = end;
	return 1;
}
