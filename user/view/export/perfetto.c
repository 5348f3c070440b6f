// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "view/export/export.h"
#include "view/table/json.h"

void flt_perfetto_open(struct flt_perfetto *p, FILE *out)
{
	flt_json_init(&p->json, out);
	flt_json_open_object(&p->json, NULL);
	flt_json_string(&p->json, "displayTimeUnit", "ns");
	flt_json_open_array(&p->json, "traceEvents");
}

static void event_open(struct flt_perfetto *p, const char *phase, const char *name, uint32_t pid,
		       uint32_t tid)
{
	flt_json_open_object(&p->json, NULL);
	flt_json_string(&p->json, "ph", phase);
	flt_json_string(&p->json, "name", name);
	flt_json_u64(&p->json, "pid", pid);
	flt_json_u64(&p->json, "tid", tid);
}

/* Write the name of a process if tid is its first thread, else the name of a thread. */
void flt_perfetto_name(struct flt_perfetto *p, uint32_t pid, uint32_t tid, const char *name)
{
	event_open(p, "M", pid == tid ? "process_name" : "thread_name", pid, tid);
	flt_json_open_object(&p->json, "args");
	flt_json_string(&p->json, "name", name);
	flt_json_close_object(&p->json);
	flt_json_close_object(&p->json);
}

void flt_perfetto_fault(struct flt_perfetto *p, const struct flt_perfetto_fault *f)
{
	char address[24];

	event_open(p, f->duration ? "X" : "i", f->name, f->pid, f->tid);
	flt_json_double(&p->json, "ts", (double)f->time / 1e3, 3);
	if (f->duration)
		flt_json_double(&p->json, "dur", (double)f->duration / 1e3, 3);
	else
		flt_json_string(&p->json, "s", "t");
	flt_json_string(&p->json, "cat", f->kind);
	flt_json_open_object(&p->json, "args");
	snprintf(address, sizeof(address), "0x%" PRIx64, f->address);
	flt_json_string(&p->json, "address", address);
	if (f->source)
		flt_json_string(&p->json, "source", f->source);
	if (f->weight != 1)
		flt_json_u64(&p->json, "weight", f->weight);
	if (f->write)
		flt_json_bool(&p->json, "write", true);
	if (f->refault)
		flt_json_bool(&p->json, "refault", true);
	if (f->major)
		flt_json_bool(&p->json, "major", true);
	flt_json_close_object(&p->json);
	flt_json_close_object(&p->json);
}

void flt_perfetto_counter(struct flt_perfetto *p, uint64_t time, const char *name, uint64_t value)
{
	event_open(p, "C", name, 0, 0);
	flt_json_double(&p->json, "ts", (double)time / 1e3, 3);
	flt_json_open_object(&p->json, "args");
	flt_json_u64(&p->json, "value", value);
	flt_json_close_object(&p->json);
	flt_json_close_object(&p->json);
}

void flt_perfetto_close(struct flt_perfetto *p)
{
	flt_json_close_array(&p->json);
	flt_json_close_object(&p->json);
	flt_json_end_line(&p->json);
}
