// SPDX-License-Identifier: GPL-2.0-or-later
#include "timeline/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *flt_load_loss_name(enum flt_file_loss cause)
{
	static const char *const names[] = {
		[FLT_LOSS_BUFFER] = "buffer full",
		[FLT_LOSS_THROTTLE] = "times held back by the kernel",
		[FLT_LOSS_STACK] = "stacks not kept",
		[FLT_LOSS_PROBE] = "missed by the probe",
		[FLT_LOSS_UNKNOWN] = "unaccounted",
		[FLT_LOSS_RECORD] = "records of processes and maps",
		[FLT_LOSS_RIGHTS] = "programs that perf events do not follow (set-user-ID, "
				    "file capabilities, or not readable)",
	};

	return cause < __FLT_LOSS_LAST ? names[cause] : "unknown cause";
}

/* Report why flt_file_open() failed. version 0: not readable. Return the exit status. */
static int open_failed(const struct flt_command *command, const char *path, int err,
		       uint32_t version)
{
	switch (err) {
	case -ENOENT:
		flt_command_say(command, "cannot read %s: %s (run 'fltctl record -- COMMAND', or "
				"name another file)", path, strerror(-err));
		return FLT_EXIT_FAILED;
	case -EINVAL:
		flt_command_say(command, "%s: not a recording made by 'fltctl record'", path);
		return FLT_EXIT_FAILED;
	case -EPROTO:
		if (version)
			flt_command_say(command, "cannot read %s: format %u.%u, but this fltctl "
					"reads %u.x (use the fltctl that recorded it)", path,
					version >> 16, version & 0xffff, FLT_FILE_VERSION >> 16);
		else
			flt_command_say(command, "cannot read %s: recorded on a machine of the "
					"other byte order (read it there)", path);
		return FLT_EXIT_UNSUPPORTED;
	case -EBADMSG:
		flt_command_say(command, "cannot read %s: the file header is damaged", path);
		return FLT_EXIT_FAILED;
	default:
		flt_command_say(command, "cannot read %s: %s", path, strerror(-err));
		return flt_exit_of(err);
	}
}

/* Remember the first damage. */
static void add_damage(struct flt_load *load, const struct flt_file_chunk *c)
{
	if (!load->damaged++) {
		load->damage = c->damage;
		load->damage_offset = c->offset;
	}
	load->skipped += c->skipped;
}

static int add_faults(struct flt_load *load, const struct flt_file_chunk *c, flt_load_fn fn,
		      void *arg)
{
	uint32_t i;

	if (!load->faults || (c->head.first && c->head.first < load->first))
		load->first = c->head.first;
	if (c->head.last > load->last)
		load->last = c->head.last;
	load->faults += c->head.count;
	if (!fn)
		return 0;
	for (i = 0; i < c->head.count; i++)
		flt_recording_leave_own(load->rec, &c->faults[i]);
	return fn(arg, load, c->faults, c->head.count);
}

static int add_chunk(struct flt_load *load, const struct flt_file_chunk *c, flt_load_fn fn,
		     void *arg)
{
	const struct flt_record *r = NULL;
	int err = 0;

	load->chunks++;
	memcpy(load->lost, c->head.lost, sizeof(load->lost));
	switch (c->head.type) {
	case FLT_CHUNK_RECORDS:
		while (!err && (r = flt_file_record(c, r)))
			err = flt_recording_record(load->rec, r);
		return err;
	case FLT_CHUNK_STACKS:
		return flt_recording_nodes(load->rec, c->nodes, c->head.count);
	default:
		return add_faults(load, c, fn, arg);
	}
}

const char *flt_load_path(const struct flt_run *run, const char *input)
{
	if (input)
		return input;
	return run->words.argc ? run->words.argv[0] : "flt.data";
}

static void show_progress(struct flt_load *load, const struct flt_file_chunk *c, uint64_t size)
{
	if (load->progress && size)
		flt_progress_show(load->progress, "reading %s: %" PRIu64 " %%", load->path,
				  c->offset * 100 / size);
}

/* Faults without kinds would not match any. */
static int check_kinds(const struct flt_load *load)
{
	const char *engine = flt_recording_info(load->rec, "engine");

	if (!(load->kinds & ~(1u << FLT_KIND_UNKNOWN)) || !engine || strcmp(engine, "perf"))
		return FLT_EXIT_DONE;
	flt_command_say(load->command, "cannot select kinds in %s: perf events have none (record "
			"with the flt module)", load->path);
	return FLT_EXIT_UNSUPPORTED;
}

static bool has_process(const struct flt_recording *rec, uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < rec->image_room; i++)
		if (rec->images[i] && rec->images[i]->pid == pid)
			return true;
	return false;
}

/* A mistyped PID would look like a process without faults. */
static int check_pids(const struct flt_load *load)
{
	size_t i;

	for (i = 0; load->pids && i < load->pids->count; i++) {
		if (has_process(load->rec, load->pids->id[i]))
			continue;
		flt_command_say(load->command, "invalid PID %" PRIu32 ": no such process in %s "
				"(list all with 'fltctl report --by=thread')", load->pids->id[i],
				load->path);
		return FLT_EXIT_FAILED;
	}
	return FLT_EXIT_DONE;
}

int flt_load_file(struct flt_load *load, const struct flt_command *command, const char *path,
		  flt_load_fn fn, void *arg)
{
	struct flt_file_reader *reader;
	struct flt_file_chunk chunk;
	uint32_t version;
	int err, status;

	*load = (struct flt_load){
		.command = command, .path = path, .progress = load->progress,
		.internals = load->internals, .kinds = load->kinds, .pids = load->pids,
	};
	err = flt_file_open(&reader, path, &version);
	if (err)
		return open_failed(command, path, err, version);
	load->head = *flt_file_head(reader);
	err = flt_recording_new(&load->rec);
	if (!err)
		load->rec->hides_own = !load->internals;
	while (!err) {
		err = flt_file_next(reader, &chunk);
		if (!err)
			break;
		if (err == -EBADMSG) {
			add_damage(load, &chunk);
			err = 0;
		} else if (err == 1) {
			err = add_chunk(load, &chunk, fn, arg);
			show_progress(load, &chunk, flt_file_size(reader));
		}
	}
	if (load->progress)
		flt_progress_erase(load->progress);
	flt_file_done(reader);
	if (!err)
		err = flt_recording_settle(load->rec);
	if (err == -E2BIG)
		flt_command_say(command, "invalid %s: more processes, mappings or stacks than a "
				"recording can hold", path);
	else if (err && err != -EPIPE)	/* fn() failed to write, and its caller reports that */
		flt_command_say(command, "cannot read %s: %s", path, strerror(-err));
	if (err)
		return flt_exit_of(err);
	status = check_kinds(load);
	return status ? status : check_pids(load);
}

void flt_load_free(struct flt_load *load)
{
	flt_recording_free(load->rec);
	load->rec = NULL;
}

int flt_load_verdict(const struct flt_load *load)
{
	int status = FLT_EXIT_DONE;
	unsigned int i;

	for (i = 0; i < __FLT_LOSS_LAST; i++) {
		if (!load->lost[i])
			continue;
		flt_command_say(load->command, "incomplete: %" PRIu64 " %s %s", load->lost[i],
				i == FLT_LOSS_BUFFER || i >= FLT_LOSS_PROBE ? "lost:" : "",
				flt_load_loss_name(i));
		status = FLT_EXIT_INCOMPLETE;
	}
	if (load->damaged) {
		flt_command_say(load->command, "incomplete: %s is damaged at offset %" PRIu64
				" (%s): skipped %" PRIu64 " bytes in %" PRIu64 " place%s",
				load->path, load->damage_offset, flt_damage_text(load->damage),
				load->skipped, load->damaged, load->damaged == 1 ? "" : "s");
		status = FLT_EXIT_INCOMPLETE;
	}
	if (!load->rec->end.head.type) {
		flt_command_say(load->command, "incomplete: %s ends where the recording was "
				"interrupted", load->path);
		status = FLT_EXIT_INCOMPLETE;
	}
	return status;
}

int flt_load_filter_parse(const struct flt_command *command, const struct flt_load_filter *asked,
			  struct flt_fault_filter *filter)
{
	const char *bad;

	*filter = (struct flt_fault_filter){
		.touches = asked->touch ? 1u << (asked->touch - 1) : 0,
		.major = asked->major,
		.pids = asked->pids.id,
		.pid_count = asked->pids.count,
	};
	if (asked->kinds && flt_fault_filter_kinds(asked->kinds, &filter->kinds, &bad))
		return flt_command_misuse(command, "invalid --kind '%.*s' (expected "
					  FLT_FAULT_FILTER_KINDS ")", (int)strcspn(bad, ","), bad);
	if (asked->ops && flt_fault_filter_ops(asked->ops, &filter->ops, &bad))
		return flt_command_misuse(command, "invalid --op '%.*s' (expected read, write, "
					  "exec or unknown)", (int)strcspn(bad, ","), bad);
	if (asked->until && asked->until <= asked->from)
		return flt_command_misuse(command, "invalid --until (must be later than --from)");
	return FLT_EXIT_DONE;
}

void flt_load_filter_clock(const struct flt_load_filter *asked, const struct flt_load *load,
			   struct flt_fault_filter *filter)
{
	filter->from = asked->from ? load->head.clock + asked->from : 0;
	filter->until = asked->until ? load->head.clock + asked->until : 0;
}
