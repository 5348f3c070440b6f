/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * relay - a ring of sub-buffers per CPU, read through files under
 * /sys/kernel/debug/flt/session-ID, or by EVENTS requests.
 *
 * Only the CPU itself writes its ring, with preemption off, so no lock is needed. Nothing
 * is overwritten. A reader may read a partly filled sub-buffer up to flt_relay_cpu.end, which
 * the writer advances when the data below it is complete. So no flush is needed, which
 * would race with the writer, and all written data can be read: produced = delivered + lost.
 */
#ifndef FLT_RELAY_H
#define FLT_RELAY_H

#include <linux/flt_event.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/relay.h>
#include <linux/types.h>
#include "mm/pidns.h"

struct dentry;

/* State of the writer. Only the CPU itself writes it. */
struct flt_relay_cpu {
	/* Position of the next slot, and end of the sub-buffer; NULL: all are full. */
	void *at, *stop;
	struct rchan_buf *buf;		/* NULL: the CPU was never online */
	/*
	 * Data below this position can be read. It counts bytes since the channel was opened,
	 * full sub-buffers with their whole size. It is one word that only the writer
	 * changes. The relay code has two counters, "produced" and "offset". A reader may
	 * see them at two different moments, and relay's read() then skips an unread
	 * sub-buffer.
	 */
	u64 end;
	u64 sequence, written, lost, lost_notes;
	bool noting;			/* the record being started is a note */
	struct mutex reader;		/* held by a read() of the file; all else is the writer's */
};

struct flt_relay {
	struct rchan *chan;
	struct dentry *dir;		/* NULL: no files */
	u64 size;			/* bytes of its buffers, those of hot-added CPUs included */
	struct kref users;		/* the session and its open files */
	bool closed;			/* the session has ended, so reads fail */
	const struct flt_pidns *reader;	/* PIDs are those of its namespace */
	struct flt_relay_cpu __percpu *cpus;
};

/* Set the parent of the session directories. ERR_PTR or NULL: there is no debugfs. */
void flt_relay_init(struct dentry *root);

/*
 * Open a channel. Caller holds the lock of the sessions. @files: create files for readers in
 * user space, which needs debugfs; otherwise flt_relay_peek() reads. May sleep. Errors:
 *   -EOPNOTSUPP  @files without debugfs
 *   -EDQUOT      the buffers would exceed the budget
 *   -ENOMEM
 */
struct flt_relay *flt_relay_open(u32 session, u32 subbuf_size, u32 subbufs, bool files);
/*
 * No writer may be left. Open files hold references to the relay, to their buffers and to the
 * module, and keep the buffers charged to the limit. Does not wait for readers, because a
 * reader may wait for its own memory for any time.
 */
void flt_relay_close(struct flt_relay *relay);

/* Switch to the next sub-buffer. Return NULL and count a loss if all are full. */
void *flt_relay_next_subbuf(struct flt_relay_cpu *cpu, size_t bytes);

static __always_inline bool flt_relay_has_room(const struct flt_relay_cpu *cpu, size_t bytes)
{
	return cpu->at + bytes <= cpu->stop;
}

/*
 * Return room for @bytes, or NULL. Unlike with relay_reserve(), nothing is written if
 * flt_relay_publish() does not follow.
 */
static __always_inline void *flt_relay_claim(struct flt_relay_cpu *cpu, size_t bytes)
{
	return likely(flt_relay_has_room(cpu, bytes)) ? cpu->at : flt_relay_next_subbuf(cpu, bytes);
}

static __always_inline void flt_relay_publish(struct flt_relay_cpu *cpu, size_t bytes)
{
	cpu->at += bytes;
	/* The data below "end" is complete. Pairs with readable_end(). */
	smp_store_release(&cpu->end, cpu->end + bytes);
}

static __always_inline struct flt_relay_cpu *flt_relay_here(const struct flt_relay *relay)
{
	return this_cpu_ptr(relay->cpus);
}

/*
 * Return a slot for a fault, to be filled in and published by flt_relay_end(). Return NULL
 * if the fault is lost, which is counted. Preemption must be off from begin to end.
 */
static __always_inline struct flt_event_record *flt_relay_begin(struct flt_relay_cpu *cpu)
{
	return flt_relay_claim(cpu, sizeof(struct flt_event_record));
}

static __always_inline void flt_relay_end(struct flt_relay_cpu *cpu)
{
	flt_relay_publish(cpu, sizeof(struct flt_event_record));
	/* A reader that counts the fault can read it. Pairs with flt_relay_count(). */
	smp_store_release(&cpu->written, cpu->written + 1);
}

/*
 * The same for a note, which has @slots consecutive slots; the first one is the head.
 * Return NULL if the note is lost, which is counted. The caller fills in all slots with
 * their padding; flt_relay_note_end() sets the number of slots after the head.
 */
void *flt_relay_note_begin(struct flt_relay *relay, u32 slots);
void flt_relay_note_end(struct flt_relay *relay, u32 slots);
/* Count a note that cannot be written. */
void flt_relay_lose_note(struct flt_relay *relay);
/* Write a note: the head (64 bytes) and @length bytes. Return false if it is lost. */
bool flt_relay_note(struct flt_relay *relay, const void *head, const void *bytes, u32 length);

/*
 * Return the number of consecutive bytes (whole slots) that can be read from the ring of
 * @cpu, and their position. The caller is the only reader. flt_relay_take() consumes them.
 */
size_t flt_relay_peek(struct flt_relay *relay, int cpu, void **from);
/* Return the size of a ring in bytes. */
size_t flt_relay_ring(const struct flt_relay *relay);
void flt_relay_take(struct flt_relay *relay, int cpu, size_t bytes);

void flt_relay_count(const struct flt_relay *relay, u64 *written, u64 *lost, u64 *lost_notes);

#endif
