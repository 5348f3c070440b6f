// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "view/export/export.h"
#include "view/export/frameset.h"
#include "view/table/json.h"

static void samples_write(struct flt_json *json, const struct flt_frameset *set,
			  const struct flt_flame_frame *frames, size_t n, uint32_t *path)
{
	uint32_t k;
	size_t i;

	flt_json_open_array(json, "samples");
	for (i = 0; i < n; i++) {
		path[frames[i].depth] = set->ids[i];
		if (!frames[i].self || !frames[i].depth)
			continue;
		flt_json_open_array(json, NULL);
		for (k = 1; k <= frames[i].depth; k++)
			flt_json_u64(json, NULL, path[k]);
		flt_json_close_array(json);
	}
	flt_json_close_array(json);
	flt_json_open_array(json, "weights");
	for (i = 0; i < n; i++)
		if (frames[i].self && frames[i].depth)
			flt_json_u64(json, NULL, frames[i].self);
	flt_json_close_array(json);
}

int flt_speedscope_write(FILE *out, const struct flt_flame_frame *frames, size_t n,
			 const char *title)
{
	struct flt_frameset set;
	struct flt_json json;
	uint32_t depth = 0, *path, k;
	size_t i;
	int err;

	for (i = 0; i < n; i++)
		if (frames[i].depth > depth)
			depth = frames[i].depth;
	path = calloc((size_t)depth + 1, sizeof(*path));
	err = path ? flt_frameset_make(&set, frames, n) : -ENOMEM;
	if (err) {
		free(path);
		return err;
	}
	flt_json_init(&json, out);
	flt_json_open_object(&json, NULL);
	flt_json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	flt_json_string(&json, "exporter", "fltctl " FLT_VERSION);
	flt_json_string(&json, "name", title);
	flt_json_u64(&json, "activeProfileIndex", 0);
	flt_json_open_object(&json, "shared");
	flt_json_open_array(&json, "frames");
	for (k = 0; k < set.count; k++) {
		flt_json_open_object(&json, NULL);
		flt_json_string(&json, "name", set.functions[k]->name);
		if (set.functions[k]->object)
			flt_json_string(&json, "file", set.functions[k]->object);
		flt_json_close_object(&json);
	}
	flt_json_close_array(&json);
	flt_json_close_object(&json);
	flt_json_open_array(&json, "profiles");
	flt_json_open_object(&json, NULL);
	flt_json_string(&json, "type", "sampled");
	flt_json_string(&json, "name", "page faults");
	flt_json_string(&json, "unit", "none");
	flt_json_u64(&json, "startValue", 0);
	flt_json_u64(&json, "endValue", n ? frames[0].total : 0);
	samples_write(&json, &set, frames, n, path);
	flt_json_close_object(&json);
	flt_json_close_array(&json);
	flt_json_close_object(&json);
	flt_json_end_line(&json);
	flt_frameset_free(&set);
	free(path);
	return 0;
}
