/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * note - records that explain faults: names of files, mappings, fork, exec and exit of
 * threads (FLT_EVENT_PATH, _AREA, _LIFE).
 *
 * A note is sent once per session. Each session has a cache (seen.h) of the notes that
 * were sent. A note that was evicted from the cache, or that found no room in the channel, is
 * sent again.
 *
 * Everything here runs in probe handlers with preemption off, in the context of the thread
 * that faults, maps, forks or exits. The probed functions may sleep, so no probe runs in
 * interrupt context or with a spinlock held. That allows flt_path_name(), which does not sleep
 * and takes no lock that can be held across a page fault.
 */
#ifndef FLT_NOTE_H
#define FLT_NOTE_H

#include <linux/dcache.h>
#include <linux/flt_event.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "stream/relay.h"
#include "stream/seen.h"

/* Of a CPU. */
struct flt_note_cpu {
	/* The mapping without a file whose AREA was sent, and in which the last fault was. */
	const struct mm_struct *mm;	/* NULL: none */
	unsigned long start, end, flags;
	pid_t tgid;
	char name[PATH_MAX];		/* buffer for d_path() */
};

struct flt_notes {
	bool areas;		/* send an AREA for each mapping that is faulted in */
	struct flt_note_cpu __percpu *cpu;
	struct flt_seen seen;
};

/* Return NULL if there is no memory. May sleep. */
struct flt_notes *flt_note_open(bool areas);
void flt_note_close(struct flt_notes *notes);

/* Send the name of a file that is mapped or executed. @time: of the note; 0: now. */
void flt_note_path(struct flt_notes *notes, struct flt_relay *relay, struct file *file, u64 time);

/*
 * Return the cache key of a file. A new file may get the inode number of a deleted one. On
 * most filesystems the generation differs then. Overlayfs has no generations, but there the
 * name or the dentry differs.
 */
static __always_inline u64 flt_note_file_key(struct file *file)
{
	const struct inode *inode = file_user_inode(file);
	const struct dentry *name = file_user_path(file)->dentry;
	u64 key = flt_seen_mix((u64)inode ^ (u64)inode->i_generation << 32, inode->i_ino);

	return flt_seen_mix(key ^ (u64)name->d_name.hash << 32, (u64)name) | 1;
}

/* Return true if a fault in @vma, which maps a file, needs no note. */
static __always_inline bool flt_note_is_sent(const struct flt_notes *notes,
					     const struct vm_area_struct *vma)
{
	return !notes->areas && flt_seen_has(&notes->seen, flt_note_file_key(vma->vm_file));
}

#define FLT_NOTE_PROTECTION (VM_READ | VM_WRITE | VM_EXEC)

/* Return true if a fault in @vma, which maps no file, needs no note. Quick, but may miss. */
static __always_inline bool flt_note_is_last(const struct flt_notes *notes,
					     const struct vm_area_struct *vma)
{
	const struct flt_note_cpu *last = this_cpu_ptr(notes->cpu);

	return last->start == vma->vm_start && last->end == vma->vm_end &&
	       last->mm == vma->vm_mm && last->tgid == current->tgid &&
	       last->flags == (vma->vm_flags & FLT_NOTE_PROTECTION);
}

/* Send the notes for a fault in @vma: the name of its file and, with AREAS, its extent. */
void flt_note_fault(struct flt_notes *notes, struct flt_relay *relay,
		    struct vm_area_struct *vma, u64 time);

/* Send the notes for @vma, which was made executable. */
void flt_note_exec(struct flt_notes *notes, struct flt_relay *relay,
		   struct vm_area_struct *vma);

#endif
