// SPDX-License-Identifier: GPL-2.0-or-later
/* check.c - script --check: validate a recording. */
#include <inttypes.h>
#include <string.h>

#include "cmd/script/script.h"
#include "view/table/cell.h"

struct fact {
	const char *what;
	struct flt_cell value;
};

static const struct flt_column columns[] = {
	{ "what", "", -24, FLT_COLUMN_STRING, FLT_AT(struct fact, what) },
	{ "value", "", -12, FLT_COLUMN_CELL, FLT_AT(struct fact, value) },
	{ 0 },
};

static int put_fact(struct flt_table *table, const char *what, struct flt_cell value)
{
	return flt_table_row(table, &(struct fact){ what, value }, 0);
}

static uint64_t count_nodes(const struct flt_recording *rec)
{
	const struct flt_image *image;
	uint64_t sum = 0;
	uint32_t i, k;

	for (i = 0; i < rec->image_room; i++) {
		image = rec->images[i];
		for (k = 0; image && k < image->node_count; k++)
			sum += !!image->nodes[k].place;
	}
	return sum;
}

static uint32_t count_images(const struct flt_recording *rec)
{
	uint32_t i, n = 0;

	for (i = 0; i < rec->image_room; i++)
		n += !!rec->images[i];
	return n;
}

static void put_facts(const struct flt_load *load, struct flt_table *table)
{
	const struct flt_recording *rec = load->rec;
	char key[64], loss[80];
	unsigned int i;
	size_t k, n;

	for (k = 0; k < rec->info_count; k++) {
		n = strcspn(rec->info[k], "=");
		snprintf(key, sizeof(key), "%.*s", (int)(n < 60 ? n : 60), rec->info[k]);
		put_fact(table, key, flt_cell_string(rec->info[k] + n + (rec->info[k][n] == '=')));
	}
	put_fact(table, "chunks", flt_cell_u64(load->chunks));
	put_fact(table, "faults", flt_cell_u64(load->faults));
	put_fact(table, "stack nodes", flt_cell_u64(count_nodes(rec)));
	put_fact(table, "images", flt_cell_u64(count_images(rec)));
	put_fact(table, "maps", flt_cell_u64(rec->map_count));
	put_fact(table, "names of threads", flt_cell_u64(rec->comm_total));
	put_fact(table, "seconds of statistics", flt_cell_u64(rec->stats_count));
	put_fact(table, "duration",
		 flt_cell_ns(load->last > load->first ? load->last - load->first : 0));
	for (i = 0; i < __FLT_LOSS_LAST; i++) {
		if (!load->lost[i])
			continue;
		snprintf(loss, sizeof(loss), "lost: %s", flt_load_loss_name(i));
		put_fact(table, loss, flt_cell_u64(load->lost[i]));
	}
	put_fact(table, "records without sense", flt_cell_u64(rec->strange));
	put_fact(table, "damaged places", flt_cell_u64(load->damaged));
	if (load->damaged) {
		put_fact(table, "first damage", flt_cell_string(flt_damage_text(load->damage)));
		put_fact(table, "first damage at", flt_cell_u64(load->damage_offset));
		put_fact(table, "bytes left out", flt_cell_u64(load->skipped));
	}
	put_fact(table, "finished", flt_cell_bool(rec->end.head.type != 0));
}

int flt_script_check(const struct flt_command *command, const char *path,
		     const struct flt_table_style *style)
{
	const struct flt_record_end *end;
	struct flt_table *table;
	struct flt_progress progress;
	struct flt_load load = { .progress = &progress };
	int status, err;

	flt_progress_begin(&progress, true);
	status = flt_load_file(&load, command, path, NULL, NULL);
	if (status)
		goto out;
	err = flt_table_new(&table, stdout, style, columns, 0);
	if (err) {
		status = flt_command_fail(command, NULL, err);
		goto out;
	}
	put_facts(&load, table);
	flt_table_flush(table, false);
	flt_table_free(table);
	status = flt_load_verdict(&load);
	end = &load.rec->end;
	if (end->head.type && end->faults != load.faults) {
		flt_command_say(command, "incomplete: %s should contain %" PRIu64 " faults, found %"
				PRIu64, path, (uint64_t)end->faults, load.faults);
		status = FLT_EXIT_INCOMPLETE;
	}
out:
	flt_load_free(&load);
	return status;
}
