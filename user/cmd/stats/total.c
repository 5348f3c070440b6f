// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "cmd/stats/columns.h"
#include "model/counts/rates.h"
#include "observe/loss.h"

int stats_report_loss(const struct stats *s, const struct flt_loss *loss)
{
	if (stats_is_text(s))
		return flt_loss_print(loss, s->out);
	return flt_loss_any(loss) ? FLT_EXIT_INCOMPLETE : FLT_EXIT_DONE;
}

static void write_rate(FILE *out, const char *name, uint64_t count, uint64_t ns)
{
	fprintf(out, "%s %" PRIu64, name, count);
	if (ns)
		fprintf(out, " (%.1f/s)", flt_rates_per_second(count, ns));
}

int stats_report_total(struct stats *s, const struct flt_snapshot *snapshot, uint64_t ns)
{
	const struct flt_account *total = &snapshot->total;
	char kinds[STATS_KINDS_TEXT];
	struct stats_row row;
	int err;

	stats_report_begin(s);
	if (stats_is_text(s)) {
		write_rate(s->out, "total  minor", total->minor, ns);
		write_rate(s->out, ", major", total->major, ns);
		if (s->control) {
			write_rate(s->out, ", failed", total->failed, ns);
			fprintf(s->out, ", retries %" PRIu64, total->retried);
		}
		putc('\n', s->out);
		stats_write_kinds(kinds, total);
		if (kinds[0] && (s->kinds || s->by == STATS_BY_KIND))
			fprintf(s->out, "kinds  %s\n", kinds);
		stats_cgroups_compare(s);
		return stats_report_loss(s, &snapshot->loss);
	}
	row = stats_row_begin(s, "total", "total", ns);
	stats_row_account(s, &row, total);
	stats_row_loss(s, &row, &snapshot->loss);
	err = stats_row_put(s, &row);
	if (err)
		return flt_command_fail(s->command, NULL, err);
	stats_report_write(s, false);
	return stats_report_loss(s, &snapshot->loss);
}
