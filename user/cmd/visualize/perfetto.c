// SPDX-License-Identifier: GPL-2.0-or-later
/* perfetto.c - write faults as trace events. Reads the recording a second time. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/visualize/visualize.h"
#include "view/export/perfetto.h"

struct pass {
	struct flt_visualize *v;
	struct flt_perfetto *p;
};

static int on_faults(void *arg, struct flt_load *load, const struct flt_fault *faults, size_t n)
{
	struct pass *pass = arg;
	struct flt_visualize *v = pass->v;
	const struct flt_frames *frames;
	const struct flt_frame *inner;
	const struct flt_fault *f;
	const struct flt_image *image;
	uint32_t place;
	char source[256];
	size_t i;
	int err;

	(void)load;
	for (i = 0; i < n; i++) {
		f = &faults[i];
		if (!flt_fault_filter_match(&v->filter, v->load.rec, f))
			continue;
		image = flt_recording_image(v->load.rec, f->image);
		err = flt_recording_place(v->load.rec, f->image, f->ip, &place);
		if (err)
			return err;
		frames = flt_symbols_at(v->symbols, place);
		if (!frames)
			return -ENOMEM;
		inner = &frames->frame[0];
		snprintf(source, sizeof(source), "%.200s:%u",
			 inner->file ? flt_symbols_base(inner->file) : "", inner->line);
		flt_perfetto_fault(pass->p, &(struct flt_perfetto_fault){
			.time = f->time > v->load.head.clock ? f->time - v->load.head.clock : 0,
			.duration = f->latency, .pid = image ? image->pid : 0, .tid = f->tid,
			.name = inner->function, .kind = flt_fault_filter_kind_name(f->kind),
			.source = inner->file ? source : NULL, .address = f->address,
			.weight = f->weight, .write = f->flags & FLT_FAULT_WRITE,
			.refault = f->flags & FLT_FAULT_REFAULT,
			.major = f->flags & FLT_FAULT_MAJOR });
	}
	return 0;
}

static void counters_write(struct pass *pass, const struct flt_recording *rec, uint64_t clock)
{
	const struct flt_record_stats *s;
	uint64_t time;
	size_t i;

	for (i = 0; i < rec->stats_count; i++) {
		s = &rec->stats[i];
		time = s->head.time > clock ? s->head.time - clock : 0;
		if (s->resident != ~0ull)
			flt_perfetto_counter(pass->p, time, "resident bytes", s->resident);
		if (s->evicted != ~0ull)
			flt_perfetto_counter(pass->p, time, "evicted bytes", s->evicted);
		if (s->rss != ~0ull)
			flt_perfetto_counter(pass->p, time, "rss bytes", s->rss);
	}
}

int flt_visualize_perfetto(struct flt_visualize *v, FILE *out)
{
	struct pass pass = { .v = v };
	const struct flt_image *image;
	struct flt_load again = {
		.progress = v->load.progress, .internals = v->load.internals,
	};
	uint32_t i;
	int status, err = flt_perfetto_new(&pass.p, out);

	if (err)
		return err;
	for (i = 0; i < v->load.rec->image_room; i++) {
		image = v->load.rec->images[i];
		if (image && image->pid)
			flt_perfetto_process(pass.p, image->pid, image->comm);
	}
	status = flt_load_file(&again, v->run->command, v->path, on_faults, &pass);
	flt_load_free(&again);
	counters_write(&pass, v->load.rec, v->load.head.clock);
	err = flt_perfetto_end(pass.p);
	return status ? -EIO : err;
}
