// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/export/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/buffer.h"

/* A packet is written when it has this many bytes. */
#define PACKET_BYTES (256u << 10)
/* More streams would mean that the faults are in no order at all. */
#define STREAMS_MAX 256
#define STREAM_ID 0

/* The layout of a packet's header and context. The metadata describes the same fields. */
struct __attribute__((packed)) head {
	uint32_t magic, stream_id;
	uint64_t begin, end, content_bits, packet_bits, discarded;
};

struct stream {
	FILE *file;
	struct flt_buffer packet;
	uint64_t begin, end;		/* times of the packet */
};

struct flt_ctf {
	char *directory;
	struct stream stream[STREAMS_MAX];
	unsigned int streams;
	uint64_t lost;
	int error;
};

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := hex;\n"
	"trace {\n"
	"\tmajor = 1; minor = 8;\n"
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	"\tbyte_order = le;\n"
#else
	"\tbyte_order = be;\n"
#endif
	"\tpacket.header := struct { u32 magic; u32 stream_id; };\n"
	"};\n"
	"env { tracer_name = \"fltctl\"; domain = \"kernel\"; };\n"
	"clock { name = wall; freq = 1000000000; absolute = TRUE;\n"
	"\tdescription = \"end of the fault, since 1970\"; };\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.wall.value; }\n"
	"\t:= time;\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tevent.header := struct { time timestamp; };\n"
	"\tpacket.context := struct { time timestamp_begin; time timestamp_end;\n"
	"\t\tu64 content_size; u64 packet_size; u64 events_discarded; };\n"
	"};\n"
	"event {\n"
	"\tname = \"page_fault\"; id = 0; stream_id = 0;\n"
	"\tfields := struct {\n"
	"\t\tu64 latency_ns; hex address; hex ip; u64 inode; hex offset;\n"
	"\t\tu32 pid; u32 tid; u32 device_major; u32 device_minor; u32 weight; u32 cpu;\n"
	"\t\tstring comm; string result; string kind; string access; string path; string stack;\n"
	"\t};\n"
	"};\n";

static FILE *create(const struct flt_ctf *c, const char *name)
{
	char *path;
	FILE *file;
	int err;

	if (asprintf(&path, "%s/%s", c->directory, name) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	file = fopen(path, "wxe");
	err = errno;
	free(path);
	errno = err;
	return file;
}

static void put(struct flt_ctf *c, struct stream *s, const void *bytes, size_t size)
{
	char *end = flt_buffer_end(&s->packet, size);

	if (!end) {
		c->error = -ENOMEM;
		return;
	}
	memcpy(end, bytes, size);
	s->packet.used += size;
}

static void put_u32(struct flt_ctf *c, struct stream *s, uint32_t value)
{
	put(c, s, &value, sizeof(value));
}

static void put_u64(struct flt_ctf *c, struct stream *s, uint64_t value)
{
	put(c, s, &value, sizeof(value));
}

static void put_string(struct flt_ctf *c, struct stream *s, const char *text)
{
	put(c, s, text ? text : "", (text ? strlen(text) : 0) + 1);
}

static void write_packet(struct flt_ctf *c, struct stream *s)
{
	const struct head head = {
		.magic = 0xc1fc1fc1, .stream_id = STREAM_ID, .begin = s->begin, .end = s->end,
		.content_bits = 8 * s->packet.used, .packet_bits = 8 * s->packet.used,
		.discarded = c->lost,
	};

	if (!s->packet.used || c->error)
		return;
	memcpy(s->packet.text, &head, sizeof(head));
	errno = 0;
	if (fwrite(s->packet.text, 1, s->packet.used, s->file) != s->packet.used)
		c->error = errno ? -errno : -EIO;
	s->packet.used = 0;
}

/* Return a stream whose last fault is not newer, or NULL. */
static struct stream *stream_for(struct flt_ctf *c, uint64_t time)
{
	struct stream *s;
	unsigned int i;
	char name[32];

	for (i = 0; i < c->streams; i++)
		if (c->stream[i].end <= time)
			return &c->stream[i];
	if (i == STREAMS_MAX) {
		c->error = -ERANGE;
		return NULL;
	}
	s = &c->stream[i];
	snprintf(name, sizeof(name), "faults-%u", i);
	s->file = create(c, name);
	if (!s->file) {
		c->error = -errno;
		return NULL;
	}
	c->streams++;
	return s;
}

void flt_ctf_fault(struct flt_ctf *c, const struct flt_ctf_fault *f)
{
	static const struct head room;
	struct stream *s = c->error ? NULL : stream_for(c, f->time);

	if (!s)
		return;
	if (!s->packet.used) {
		s->begin = f->time;
		put(c, s, &room, sizeof(room));
	}
	s->end = f->time;
	put_u64(c, s, f->time);
	put_u64(c, s, f->latency);
	put_u64(c, s, f->address);
	put_u64(c, s, f->ip);
	put_u64(c, s, f->inode);
	put_u64(c, s, f->offset);
	put_u32(c, s, f->pid);
	put_u32(c, s, f->tid);
	put_u32(c, s, f->device >> 20);
	put_u32(c, s, f->device & 0xfffff);
	put_u32(c, s, f->weight);
	put_u32(c, s, f->cpu);
	put_string(c, s, f->comm);
	put_string(c, s, f->result);
	put_string(c, s, f->kind);
	put_string(c, s, f->access);
	put_string(c, s, f->path);
	put_string(c, s, f->stack);
	if (s->packet.used >= PACKET_BYTES)
		write_packet(c, s);
}

void flt_ctf_lost(struct flt_ctf *c, uint64_t count)
{
	c->lost += count;
}

int flt_ctf_new(struct flt_ctf **ctf, const char *directory, struct flt_errmsg *e)
{
	struct flt_ctf *c;
	FILE *file;
	int ret = 0;

	if (mkdir(directory, 0777))
		return flt_errmsg_errno(e, -errno, "cannot make directory %s (give the name of a "
					"new directory)", directory);
	c = calloc(1, sizeof(*c));
	if (c)
		c->directory = strdup(directory);
	if (!c || !c->directory) {
		free(c);
		return -ENOMEM;
	}
	file = create(c, "metadata");
	if (!file)
		ret = -errno;
	else if ((fputs(metadata, file) < 0) | fclose(file))
		ret = errno ? -errno : -EIO;
	if (ret) {
		flt_ctf_end(c);
		return flt_errmsg_errno(e, ret, "cannot write %s/metadata", directory);
	}
	*ctf = c;
	return 0;
}

int flt_ctf_end(struct flt_ctf *c)
{
	unsigned int i;
	int ret;

	for (i = 0; i < c->streams; i++) {
		write_packet(c, &c->stream[i]);
		errno = 0;
		if (fclose(c->stream[i].file) && !c->error)
			c->error = errno ? -errno : -EIO;
		flt_buffer_free(&c->stream[i].packet);
	}
	ret = c->error;
	free(c->directory);
	free(c);
	return ret;
}
