// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "debugfs.h"
#include "hook/hook.h"
#include "account/report.h"
#include "stream/relay.h"
#include "netlink/session.h"
#include "account/tally.h"
#include "wss/wss.h"

static const struct counter {
	const char *name;	/* NULL: not shown */
	size_t offset;		/* in struct flt_tally_sum */
	bool present;
} counters[] = {
#define COUNTER(member, attribute, number, bits, fold, presence, file, ...)	\
	{ file, offsetof(struct flt_tally_sum, all.member), FLT_PRESENT_##presence },
#define LOSS(member, ...) { #member, offsetof(struct flt_tally_sum, member), true },
	FLT_COUNTERS(COUNTER)
	FLT_TALLY_LOSSES(LOSS)
#undef LOSS
#undef COUNTER
};

static int counter_show(struct seq_file *m, void *v)
{
	const struct counter *c = m->private;
	struct flt_tally_sum *tally = kmalloc(sizeof(*tally), GFP_KERNEL);

	if (!tally)
		return -ENOMEM;
	flt_report_tally(tally);
	seq_printf(m, "%llu\n", *(u64 *)((char *)tally + c->offset));
	kfree(tally);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counter);

static int hooks_show(struct seq_file *m, void *v)
{
	static const char * const state[] = {
		[FLT_HOOK_STATE_IDLE] = "idle",
		[FLT_HOOK_STATE_ARMED] = "armed",
		[FLT_HOOK_STATE_DISARMED] = "disarmed",
		[FLT_HOOK_STATE_ABSENT] = "absent",
	};
	static const char * const type[] = {
		[FLT_HOOK_TYPE_KRETPROBE] = "kretprobe",
		[FLT_HOOK_TYPE_TRACEPOINT] = "tracepoint",
		[FLT_HOOK_TYPE_KPROBE] = "kprobe",
		[FLT_HOOK_TYPE_FTRACE] = "ftrace",
	};
	struct flt_hook_report r;
	unsigned int i;

	seq_puts(m, "name symbol type state hits missed_full missed_busy\n");
	for (i = 0; !flt_hook_report(i, &r); i++)
		seq_printf(m, "%s %s %s%s %s %llu %llu %llu\n", r.name, r.symbol, type[r.type],
			   r.ftrace && r.type != FLT_HOOK_TYPE_FTRACE ? "/ftrace" : "",
			   state[r.state],
			   r.hits, r.missed_full, r.missed_busy);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(hooks);

struct procs {
	struct flt_proc_cursor cursor;
	struct flt_proc_report report;
};

/* The file position is the ID of the row, so a read continues where the last ended. */
static void *procs_start(struct seq_file *m, loff_t *pos)
{
	struct procs *procs = m->private;

	if (!*pos) {
		flt_proc_cursor_begin(&procs->cursor, 0);
		return SEQ_START_TOKEN;
	}
	procs->cursor.id = *pos;
	if (flt_report_next_proc(&flt_pidns_initial, &procs->cursor, &procs->report))
		return NULL;
	*pos = procs->cursor.id;
	return &procs->report;
}

static void *procs_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return procs_start(m, pos);
}

static void procs_stop(struct seq_file *m, void *v)
{
}

/* Write a name whose bytes may have any value as text without control characters. */
static void put_name(struct seq_file *m, const char *name)
{
	for (; *name; name++) {
		if (isascii(*name) && isprint(*name) && *name != '\\')
			seq_putc(m, *name);
		else
			seq_printf(m, "\\%03o", (unsigned char)*name);
	}
}

static int procs_show(struct seq_file *m, void *v)
{
	const struct flt_proc_report *r = v;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "pid state threads minor major failed retried missed comm\n");
		return 0;
	}
	seq_printf(m, "%d %s %u %llu %llu %llu %llu %llu ", r->tgid, r->ended ? "ended" : "live",
		   r->threads, r->account.minor, r->account.major, r->account.failed,
		   r->account.retried, r->account.missed);
	/* A process chooses its comm, which may contain line feeds and escape sequences. */
	put_name(m, r->comm);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations procs_ops = {
	.start = procs_start,
	.next = procs_next,
	.stop = procs_stop,
	.show = procs_show,
};

static int procs_open(struct inode *inode, struct file *file)
{
	return __seq_open_private(file, &procs_ops, sizeof(struct procs)) ? 0 : -ENOMEM;
}

static const struct file_operations procs_fops = {
	.owner = THIS_MODULE,
	.open = procs_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

static int wss_show(struct seq_file *m, void *v)
{
	struct flt_wss_report *r = kmalloc(sizeof(*r), GFP_KERNEL);
	const struct flt_wss_scan *scan = &r->sample.scan;
	u32 slot;

	if (!r)
		return -ENOMEM;
	seq_puts(m, "tracker pid state time window rss anon file shmem first_touch refault ");
	seq_puts(m, "scan_ns hugetlb device special left flags comm\n");
	for (slot = 0; !flt_wss_latest(&slot, r); slot++) {
		seq_printf(m, "%u %u %s %llu %llu %llu %llu %llu %llu ", r->id, r->tgid,
			   r->ended ? "ended" : "live", r->sample.time, r->sample.window,
			   scan->count.rss, scan->count.kind[FLT_WSS_KIND_ANON],
			   scan->count.kind[FLT_WSS_KIND_FILE],
			   scan->count.kind[FLT_WSS_KIND_SHMEM]);
		if (r->sample.accounted)
			seq_printf(m, "%llu %llu ", r->sample.first_touch, r->sample.refault);
		else
			seq_puts(m, "- - ");
		seq_printf(m, "%llu %llu %llu %llu %llu 0x%x ", scan->duration,
			   scan->count.hugetlb, scan->count.device, scan->count.special,
			   scan->count.left, scan->flags);
		put_name(m, r->comm);
		seq_putc(m, '\n');
	}
	kfree(r);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wss);

static struct dentry *root;

void __init flt_debugfs_init(void)
{
	int i;

	root = debugfs_create_dir("flt", NULL);
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		if (counters[i].name && counters[i].present)
			debugfs_create_file(counters[i].name, 0400, root, (void *)&counters[i],
					    &counter_fops);
	debugfs_create_file("hooks", 0400, root, NULL, &hooks_fops);
	debugfs_create_file("procs", 0400, root, NULL, &procs_fops);
	debugfs_create_file("wss", 0400, root, NULL, &wss_fops);
	flt_relay_init(root);
}

void flt_debugfs_exit(void)
{
	debugfs_remove(root);
}
