/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * note - what a session is told beside faults, so that it understands them: names
 * of files, mappings, life and death of threads (FLT_EVENT_PATH, _AREA, _LIFE).
 *
 * Said once: each session remembers what it was told in a cache of fixed size. What
 * falls out of it, and what found no room in the channel, is said again.
 *
 * All runs in probe handlers, preemption off, in the context of the thread that
 * faults, maps, forks or ends. None of them is reached with a spinlock held or from
 * an interrupt: handle_mm_fault() and perf_event_mmap() may sleep. So d_path() may
 * be called, which does not sleep and takes no lock that is held across a fault.
 */
#ifndef FLT_NOTE_H
#define FLT_NOTE_H

#include <linux/dcache.h>
#include <linux/flt_event.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/types.h>
#include "stream/relay.h"
#include "stream/seen.h"

struct flt_notes {
	bool areas;		/* mappings without a file, too */
	char __percpu *name;	/* PATH_MAX, for d_path() */
	struct flt_seen seen;
};

/* NULL: no memory. */
struct flt_notes *flt_note_open(bool areas);
void flt_note_close(struct flt_notes *notes);

/* The name of a file that is mapped or executed, as of @time; 0, as below: now. */
void flt_note_path(struct flt_notes *notes, struct flt_relay *relay, struct file *file, u64 time);

/*
 * A file of an earlier one's number must be told of: most filesystems give it another
 * generation. Overlayfs gives none; there its name is another, or its dentry.
 */
static __always_inline u64 flt_note_file_key(struct file *file)
{
	const struct inode *inode = file_user_inode(file);
	const struct dentry *name = file_user_path(file)->dentry;
	u64 key = flt_seen_mix((u64)inode ^ (u64)inode->i_generation << 32, inode->i_ino);

	return flt_seen_mix(key ^ (u64)name->d_name.hash << 32, (u64)name) | 1;
}

/* There is nothing to say of a fault in @vma, which maps a file. */
static __always_inline bool flt_note_knows(const struct flt_notes *notes,
					   const struct vm_area_struct *vma)
{
	return !notes->areas && flt_seen_has(&notes->seen, flt_note_file_key(vma->vm_file));
}

/* A fault in @vma: its file's name and, in a session with AREAS, its extent. */
void flt_note_fault(struct flt_notes *notes, struct flt_relay *relay,
		    struct vm_area_struct *vma, u64 time);

/* @vma was made executable. */
void flt_note_made(struct flt_notes *notes, struct flt_relay *relay,
		   struct vm_area_struct *vma);

#endif
