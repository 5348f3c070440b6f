// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/export/perfetto.h"

#include <errno.h>
#include <perfetto.pb-c.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "index/index.h"
#include "text/escape.h"

/* Tracks are numbered so that no two are equal: PIDs have at most 22 bits. */
#define THREAD_TRACK(pid, tid) (1ull << 61 | (uint64_t)(pid) << 32 | (tid))
#define COUNTER_TRACK(number) (1ull << 62 | (number))
#define PROCESS_TRACK(pid) (1ull << 63 | (pid))

#define NAME_BYTES 512

enum sequence { NAMES_FORGOTTEN = 1, NAMES_NEEDED = 2 };

/* Annotations of a fault, by the numbers of their names. */
enum annotation { ADDRESS = 1, SOURCE, WEIGHT, WRITE, REFAULT, MAJOR, __ANNOTATION_MAX };

static const char *const annotations[] = {
	[ADDRESS] = "address", [SOURCE] = "source", [WEIGHT] = "weight",
	[WRITE] = "write", [REFAULT] = "refault", [MAJOR] = "major",
};

/* Names that were written. The number of a name is its index + 1, because 0 is invalid. */
struct names {
	char **name;
	uint32_t count, room;
	struct flt_index index;
};

struct flt_perfetto {
	FILE *out;
	int error;
	bool began;			/* a packet was written */
	struct names functions, kinds, counters;
	uint64_t *track;		/* threads with a track */
	uint32_t tracks, track_room;
	struct flt_index track_index;
	uint8_t *packet;
	size_t packet_room;
};

static void *grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
	void *more;

	if (count < *room)
		return array;
	more = reallocarray(array, *room ? 2 * *room : 64, size);
	if (more)
		*room = *room ? 2 * *room : 64;
	return more;
}

/* Return the number of a name. Set *is_new if the name has to be written. 0: no memory. */
static uint64_t number_of(struct names *n, const char *name, bool *is_new)
{
	const uint64_t hash = XXH3_64bits(name, strlen(name));
	struct flt_index_search s = flt_index_search(flt_index_hash(hash, 0));
	char **more, *copy;
	uint32_t at;

	*is_new = false;
	while (flt_index_next(&n->index, &s, &at))
		if (!strcmp(n->name[at], name))
			return at + 1ull;
	more = grow(n->name, n->count, &n->room, sizeof(*n->name));
	copy = strdup(name);
	if (more)
		n->name = more;
	if (!more || !copy || flt_index_add(&n->index, flt_index_hash(hash, 0), n->count)) {
		free(copy);
		return 0;
	}
	n->name[n->count++] = copy;
	*is_new = true;
	return n->count;
}

static void free_names(struct names *n)
{
	while (n->count)
		free(n->name[--n->count]);
	free(n->name);
	flt_index_free(&n->index);
}

/* Write a packet as a trace of one packet: concatenated traces are one trace. */
static void write_packet(struct flt_perfetto *p, Perfetto__TracePacket *packet)
{
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;
	uint8_t *more;
	size_t size;

	if (p->error)
		return;
	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = 1;
	packet->has_sequence_flags = true;
	packet->sequence_flags = p->began ? NAMES_NEEDED : NAMES_FORGOTTEN;
	p->began = true;
	trace.n_packet = 1;
	trace.packet = &packet;
	size = perfetto__trace__get_packed_size(&trace);
	if (size > p->packet_room) {
		more = realloc(p->packet, 2 * size);
		if (!more) {
			p->error = -ENOMEM;
			return;
		}
		p->packet = more;
		p->packet_room = 2 * size;
	}
	fwrite(p->packet, 1, perfetto__trace__pack(&trace, p->packet), p->out);
}

static void write_track(struct flt_perfetto *p, Perfetto__TrackDescriptor *track, uint64_t uuid)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	track->has_uuid = true;
	track->uuid = uuid;
	packet.track_descriptor = track;
	write_packet(p, &packet);
}

/* A reader refuses strings that are not UTF-8. */
static char *clean(char text[NAME_BYTES], const char *name)
{
	flt_escape_text(text, NAME_BYTES, name, strlen(name));
	return text;
}

/* The first packet names the annotations. */
static void write_annotation_names(struct flt_perfetto *p)
{
	Perfetto__InternedName name[__ANNOTATION_MAX], *list[__ANNOTATION_MAX];
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	uint32_t i;

	for (i = 1; i < __ANNOTATION_MAX; i++) {
		perfetto__interned_name__init(&name[i]);
		name[i].has_iid = true;
		name[i].iid = i;
		name[i].name = (char *)annotations[i];
		list[i - 1] = &name[i];
	}
	data.n_debug_annotation_names = __ANNOTATION_MAX - 1;
	data.debug_annotation_names = list;
	packet.interned_data = &data;
	write_packet(p, &packet);
}

int flt_perfetto_new(struct flt_perfetto **perfetto, FILE *file)
{
	struct flt_perfetto *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->out = file;
	write_annotation_names(p);
	*perfetto = p;
	return 0;
}

void flt_perfetto_process(struct flt_perfetto *p, uint32_t pid, const char *name)
{
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	char text[NAME_BYTES];

	process.has_pid = true;
	process.pid = (int32_t)pid;
	process.process_name = clean(text, name);
	track.process = &process;
	write_track(p, &track, PROCESS_TRACK(pid));
}

/* Return the track of a thread, and describe the track when the thread is new. */
static uint64_t track_of(struct flt_perfetto *p, uint32_t pid, uint32_t tid)
{
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	const uint64_t uuid = THREAD_TRACK(pid, tid);
	const uint32_t hash = flt_index_hash(uuid, 0);
	struct flt_index_search s = flt_index_search(hash);
	uint64_t *more;
	uint32_t at;

	while (flt_index_next(&p->track_index, &s, &at))
		if (p->track[at] == uuid)
			return uuid;
	more = grow(p->track, p->tracks, &p->track_room, sizeof(*p->track));
	if (more)
		p->track = more;
	if (!more || flt_index_add(&p->track_index, hash, p->tracks)) {
		p->error = -ENOMEM;
		return uuid;
	}
	p->track[p->tracks++] = uuid;
	thread.has_pid = thread.has_tid = true;
	thread.pid = (int32_t)pid;
	thread.tid = (int32_t)tid;
	track.thread = &thread;
	track.has_parent_uuid = true;
	track.parent_uuid = PROCESS_TRACK(pid);
	write_track(p, &track, uuid);
	return uuid;
}

/* Return the next annotation of a list, with its name. */
static Perfetto__DebugAnnotation *annotate(Perfetto__TrackEvent *event, enum annotation what)
{
	Perfetto__DebugAnnotation *a = event->debug_annotations[event->n_debug_annotations++];

	perfetto__debug_annotation__init(a);
	a->has_name_iid = true;
	a->name_iid = what;
	return a;
}

static void annotate_flag(Perfetto__TrackEvent *event, enum annotation what, bool value)
{
	Perfetto__DebugAnnotation *a;

	if (!value)
		return;
	a = annotate(event, what);
	a->has_bool_value = a->bool_value = true;
}

static void annotate_fault(Perfetto__TrackEvent *event, const struct flt_perfetto_fault *f,
			   char source[NAME_BYTES])
{
	Perfetto__DebugAnnotation *a = annotate(event, ADDRESS);

	a->has_pointer_value = true;
	a->pointer_value = f->address;
	if (f->source)
		annotate(event, SOURCE)->string_value = clean(source, f->source);
	if (f->weight != 1) {
		a = annotate(event, WEIGHT);
		a->has_uint_value = true;
		a->uint_value = f->weight;
	}
	annotate_flag(event, WRITE, f->write);
	annotate_flag(event, REFAULT, f->refault);
	annotate_flag(event, MAJOR, f->major);
}

static void set_name(Perfetto__InternedName *n, uint64_t number, char *name)
{
	perfetto__interned_name__init(n);
	n->has_iid = true;
	n->iid = number;
	n->name = name;
}

static void write_end(struct flt_perfetto *p, uint64_t time, uint64_t track)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	event.has_type = event.has_track_uuid = true;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
	event.track_uuid = track;
	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.track_event = &event;
	write_packet(p, &packet);
}

void flt_perfetto_fault(struct flt_perfetto *p, const struct flt_perfetto_fault *f)
{
	Perfetto__DebugAnnotation annotation[__ANNOTATION_MAX], *list[__ANNOTATION_MAX];
	Perfetto__InternedName name[2], *names[] = { &name[0], &name[1] };
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	char function[NAME_BYTES], kind[NAME_BYTES], source[NAME_BYTES];
	bool new_function, new_kind;
	uint64_t category;
	uint32_t i;

	event.track_uuid = track_of(p, f->pid, f->tid);
	event.name_iid = number_of(&p->functions, clean(function, f->name), &new_function);
	category = number_of(&p->kinds, clean(kind, f->kind), &new_kind);
	if (!event.name_iid || !category) {
		p->error = -ENOMEM;
		return;
	}
	if (new_function) {
		set_name(&name[0], event.name_iid, function);
		data.n_event_names = 1;
		data.event_names = &names[0];
	}
	if (new_kind) {
		set_name(&name[1], category, kind);
		data.n_event_categories = 1;
		data.event_categories = &names[1];
	}
	for (i = 0; i < __ANNOTATION_MAX; i++)
		list[i] = &annotation[i];
	event.debug_annotations = list;
	annotate_fault(&event, f, source);
	event.has_type = event.has_track_uuid = event.has_name_iid = true;
	event.type = f->duration ? PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN :
				   PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event.n_category_iids = 1;
	event.category_iids = &category;
	packet.has_timestamp = true;
	packet.timestamp = f->time;
	packet.track_event = &event;
	if (new_function || new_kind)
		packet.interned_data = &data;
	write_packet(p, &packet);
	if (f->duration)
		write_end(p, f->time + f->duration, event.track_uuid);
}

void flt_perfetto_counter(struct flt_perfetto *p, uint64_t time, const char *name, uint64_t value)
{
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	char text[NAME_BYTES];
	uint64_t number;
	bool is_new;

	number = number_of(&p->counters, clean(text, name), &is_new);
	if (!number) {
		p->error = -ENOMEM;
		return;
	}
	if (is_new) {
		counter.has_unit = true;
		counter.unit = PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES;
		track.name = text;
		track.counter = &counter;
		write_track(p, &track, COUNTER_TRACK(number));
	}
	event.has_type = event.has_track_uuid = event.has_counter_value = true;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
	event.track_uuid = COUNTER_TRACK(number);
	event.counter_value = (int64_t)value;
	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.track_event = &event;
	write_packet(p, &packet);
}

int flt_perfetto_end(struct flt_perfetto *p)
{
	const int error = p->error;

	free_names(&p->functions);
	free_names(&p->kinds);
	free_names(&p->counters);
	flt_index_free(&p->track_index);
	free(p->track);
	free(p->packet);
	free(p);
	return error;
}
