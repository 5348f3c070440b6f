/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * relay - the channel that streams in bulk: a ring of sub-buffers for each CPU,
 * read through files under /sys/kernel/debug/flt/session-ID.
 *
 * A record is written by the CPU it happened on with preemption off, and nobody
 * else writes there; so no lock. Nothing is overwritten. Partly filled sub-buffers
 * can be read, up to a mark that the writer moves when what lies below it is
 * complete. So there is nothing to flush, and no flush to race with the writer; and
 * what was written is read: produced = delivered + lost.
 */
#ifndef FLT_RELAY_H
#define FLT_RELAY_H

#include <linux/flt_event.h>
#include <linux/percpu.h>
#include <linux/relay.h>
#include <linux/types.h>

struct dentry;

/* What the CPU that writes knows. */
struct flt_relay_cpu {
	/* Where the next slot goes, and where the sub-buffer ends; NULL: there is none to fill. */
	void *at, *stop;
	struct rchan_buf *buf;		/* NULL: it was never up */
	/*
	 * What lies below it can be read: the sub-buffers before the one being filled,
	 * times their size, and the bytes in that. One word, moved by the writer alone:
	 * relay's own produced and offset, read one after the other, may be of two
	 * moments, and its read() then gives up a sub-buffer unread.
	 */
	u64 end;
	u64 sequence, written, lost, lost_notes;
	bool noting;			/* the record that is being begun is a note */
};

struct flt_relay {
	struct rchan *chan;
	struct dentry *dir;		/* NULL: no files */
	u64 size;			/* of its buffers, with the CPUs that were up then */
	struct flt_relay_cpu __percpu *cpus;
};

/* What the buffers of all channels may take together; 0: a quarter of the memory. */
void flt_relay_limit(u32 mib);
/* Where sessions get their directories; ERR_PTR or NULL: no debugfs, no channel. */
void flt_relay_init(struct dentry *root);

/*
 * ERR_PTR: -EOPNOTSUPP without debugfs, -EDQUOT past the limit, -ENOMEM. May sleep.
 * @files: for readers in user space; without, flt_relay_peek() reads, and debugfs is not
 * needed.
 */
struct flt_relay *flt_relay_open(u32 session, u32 subbuf_size, u32 subbufs, bool files);
/* No writer may be left. Files that are still open keep their buffers, and the module. */
void flt_relay_close(struct flt_relay *relay);

/* A sub-buffer is full: room in the next. NULL: there is none. */
void *flt_relay_turn(struct flt_relay_cpu *cpu, size_t bytes);

static __always_inline bool flt_relay_has_room(const struct flt_relay_cpu *cpu, size_t bytes)
{
	return cpu->at + bytes <= cpu->stop;
}

/* Not relay_reserve(): what is begun and not ended leaves nothing. */
static __always_inline void *flt_relay_claim(struct flt_relay_cpu *cpu, size_t bytes)
{
	return likely(flt_relay_has_room(cpu, bytes)) ? cpu->at : flt_relay_turn(cpu, bytes);
}

static __always_inline void flt_relay_publish(struct flt_relay_cpu *cpu, size_t bytes)
{
	cpu->at += bytes;
	/* What is below it is complete; pairs with end_of(). */
	smp_store_release(&cpu->end, cpu->end + bytes);
}

static __always_inline struct flt_relay_cpu *flt_relay_here(const struct flt_relay *relay)
{
	return this_cpu_ptr(relay->cpus);
}

/*
 * Preemption off from begin to end. A slot for one fault, to be filled in and then
 * given out by flt_relay_end(); NULL: lost, and counted. Nothing is written if the
 * end does not follow.
 */
static __always_inline struct flt_event_record *flt_relay_begin(struct flt_relay_cpu *cpu)
{
	return flt_relay_claim(cpu, sizeof(struct flt_event_record));
}

static __always_inline void flt_relay_end(struct flt_relay_cpu *cpu)
{
	flt_relay_publish(cpu, sizeof(struct flt_event_record));
	/* Who was told of it finds it: flt_relay_count(). */
	smp_store_release(&cpu->written, cpu->written + 1);
}

/*
 * The same for a note: @slots in a row, the first of them its head. NULL: lost, and
 * counted as a note. The caller fills in all of it, padding included; the count of
 * slots that follow the head is filled in here.
 */
void *flt_relay_note_begin(struct flt_relay *relay, u32 slots);
void flt_relay_note_end(struct flt_relay *relay, u32 slots);
/* A note from its head (64 bytes of any note's struct) and @length bytes. False: lost. */
bool flt_relay_note(struct flt_relay *relay, const void *head, const void *bytes, u32 length);

/*
 * Whole slots of @cpu that wait in a row, in bytes, and where; 0: none. For one reader at a
 * time. They stay until flt_relay_take() says how much of it was used.
 */
size_t flt_relay_peek(struct flt_relay *relay, int cpu, void **from);
void flt_relay_take(struct flt_relay *relay, int cpu, size_t bytes);

void flt_relay_count(const struct flt_relay *relay, u64 *written, u64 *lost, u64 *lost_notes);

#endif
