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

#include <linux/flt_event.h>
#include <linux/types.h>
#include "relay.h"

struct file;
struct flt_notes;
struct vm_area_struct;

/* NULL: no memory. */
struct flt_notes *flt_note_open(bool areas);
void flt_note_close(struct flt_notes *notes);

/* The name of a file that is mapped or executed, as of @time. */
void flt_note_path(struct flt_notes *notes, struct flt_relay *relay, struct file *file, u64 time);

/* A fault in @vma: its file's name and, in a session with AREAS, its extent. */
void flt_note_fault(struct flt_notes *notes, struct flt_relay *relay,
		    struct vm_area_struct *vma, u64 time);

/* @vma was made executable. */
void flt_note_made(struct flt_notes *notes, struct flt_relay *relay,
		   struct vm_area_struct *vma);

#endif
