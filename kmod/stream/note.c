// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "mm/area.h"
#include "stream/budget.h"
#include "stream/note.h"
#include "stream/path_name.h"

static u64 notes_bytes(void)
{
	return sizeof(struct flt_notes) + (u64)num_possible_cpus() * sizeof(struct flt_note_cpu);
}

struct flt_notes *flt_note_open(bool areas)
{
	struct flt_notes *notes = kvzalloc(sizeof(*notes), GFP_KERNEL);

	if (!notes)
		return NULL;
	notes->areas = areas;
	notes->cpu = alloc_percpu(struct flt_note_cpu);
	if (!notes->cpu) {
		kvfree(notes);
		return NULL;
	}
	flt_budget_take(notes_bytes());
	return notes;
}

void flt_note_close(struct flt_notes *notes)
{
	if (!notes)
		return;
	free_percpu(notes->cpu);
	kvfree(notes);
	flt_budget_give(notes_bytes());
}

static const char deleted[] = " (deleted)";

/* Describe @name, which is seen from the root of current, in @head. */
static void describe_name(struct flt_event_path *head, const struct path *path, const char *name)
{
	size_t tail = sizeof(deleted) - 1, length;

	if (IS_ERR(name)) {
		head->flags = FLT_PATH_CUT;
		return;
	}
	length = strlen(name);
	if (d_unlinked(path->dentry) && length > tail &&
	    !memcmp(name + length - tail, deleted, tail)) {
		head->flags = FLT_PATH_DELETED;
		length -= tail;
	}
	head->length = length;
}

/* Return false if the note was lost, or has to be sent at the next fault. */
static noinline bool send_path(struct flt_notes *notes, struct flt_relay *relay,
			       struct file *file, const struct inode *inode, u64 time)
{
	struct flt_event_path head = {
		.time = time ?: ktime_get_mono_fast_ns(),
		.inode = inode->i_ino,
		.tgid = flt_pidns_tgid(relay->reader, current),
		.tid = flt_pidns_tid(relay->reader, current),
		.dev = new_encode_dev(inode->i_sb->s_dev),
		.type = FLT_EVENT_PATH,
	};
	const struct path *path = file_user_path(file);
	const char *name = flt_path_name(path, this_cpu_ptr(notes->cpu)->name);

	if (name == ERR_PTR(-EAGAIN)) {
		flt_relay_lose_note(relay);
		return false;
	}
	describe_name(&head, path, name);
	return flt_relay_note(relay, &head, name, head.length);
}

void flt_note_path(struct flt_notes *notes, struct flt_relay *relay, struct file *file, u64 time)
{
	const struct inode *inode = file_user_inode(file);
	u64 key = flt_note_file_key(file);

	if (!flt_seen_has(&notes->seen, key) && send_path(notes, relay, file, inode, time))
		flt_seen_add(&notes->seen, key);
}

/* Return the name set by PR_SET_VMA_ANON_NAME. Caller holds a lock on the VMA. */
static const char *anon_name(const struct vm_area_struct *vma)
{
#ifdef CONFIG_ANON_VMA_NAME
	if (!vma->vm_file && !vma->vm_ops && vma->anon_name)
		return vma->anon_name->name;
#endif
	return "";
}

/* Return false if the note was lost. */
static noinline bool send_area(struct flt_relay *relay, const struct vm_area_struct *vma, u64 time,
			       u16 flags)
{
	const char *name = anon_name(vma);
	struct flt_event_area head = {
		.time = time ?: ktime_get_mono_fast_ns(),
		.start = vma->vm_start,
		.end = vma->vm_end,
		.length = strlen(name),
		.tgid = flt_pidns_tgid(relay->reader, current),
		.tid = flt_pidns_tid(relay->reader, current),
		.page = vma->vm_pgoff,
		.type = FLT_EVENT_AREA,
		.of = flt_area_of(vma),
		.protection = vma->vm_flags & FLT_NOTE_PROTECTION,
		.flags = flags | (vma->vm_flags & VM_SHARED ? FLT_AREA_SHARED : 0) |
			 (vma->vm_flags & VM_LOCKED ? FLT_AREA_LOCKED : 0),
	};

	BUILD_BUG_ON(VM_READ != 1 || VM_WRITE != 2 || VM_EXEC != 4);
	if (vma->vm_file) {
		const struct inode *inode = file_user_inode(vma->vm_file);

		head.inode = inode->i_ino;
		head.dev = new_encode_dev(inode->i_sb->s_dev);
	}
	return flt_relay_note(relay, &head, name, head.length);
}

/* The key includes the process, so that a forked child gets its own notes. */
static u64 area_key(const struct vm_area_struct *vma)
{
	u64 key = flt_seen_mix('a', (u64)vma->vm_mm);

	key = flt_seen_mix(key, current->tgid);
	key = flt_seen_mix(key, vma->vm_start);
	key = flt_seen_mix(key, vma->vm_end);
	key = flt_seen_mix(key, vma->vm_flags & FLT_NOTE_PROTECTION);
	return flt_seen_mix(key, (u64)vma->vm_file) | 1;
}

static void remember_area(struct flt_note_cpu *last, const struct vm_area_struct *vma)
{
	last->mm = vma->vm_mm;
	last->tgid = current->tgid;
	last->start = vma->vm_start;
	last->end = vma->vm_end;
	last->flags = vma->vm_flags & FLT_NOTE_PROTECTION;
}

void flt_note_fault(struct flt_notes *notes, struct flt_relay *relay,
		    struct vm_area_struct *vma, u64 time)
{
	u64 key;

	if (vma->vm_file)
		flt_note_path(notes, relay, vma->vm_file, time);
	if (!notes->areas)
		return;
	key = area_key(vma);
	if (!flt_seen_has(&notes->seen, key)) {
		if (!send_area(relay, vma, time, 0))
			return;
		flt_seen_add(&notes->seen, key);
	}
	if (!vma->vm_file)
		remember_area(this_cpu_ptr(notes->cpu), vma);
}

void flt_note_exec(struct flt_notes *notes, struct flt_relay *relay,
		   struct vm_area_struct *vma)
{
	if (vma->vm_file)
		flt_note_path(notes, relay, vma->vm_file, 0);
	send_area(relay, vma, 0, FLT_AREA_MADE);
}
