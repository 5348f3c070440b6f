/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h - decode attributes of <linux/flt.h> into the structs of account.h.
 *
 * Messages are not trusted. -EBADMSG: an attribute is too short for its type, a nest is
 * malformed, or an essential attribute is missing. Other missing attributes are 0. Strings are
 * truncated and terminated. Unknown attributes are skipped. out is valid only after success.
 */
#ifndef FLT_SOURCE_DECODE_H
#define FLT_SOURCE_DECODE_H

#include "account/account.h"

struct nlattr;

/* Bytes of a CPU's stream, within the message; or a horizon without bytes. */
struct flt_event_bytes {
	uint32_t session, cpu;
	const void *slots;
	size_t size;		/* a multiple of 64 */
	uint64_t horizon;	/* if size is 0 */
};

int flt_decode_info(struct nlattr *attrs, int length, struct flt_info *out);
int flt_decode_hook(struct nlattr *attrs, int length, struct flt_hook *out);
int flt_decode_tally(struct nlattr *attrs, int length, struct flt_tally *out);
int flt_decode_latency(struct nlattr *attrs, int length, struct flt_latency *out);
int flt_decode_slow(struct nlattr *attrs, int length, struct flt_slow *out);
int flt_decode_proc(struct nlattr *attrs, int length, struct flt_row *out);
int flt_decode_task(struct nlattr *attrs, int length, struct flt_row *out);
int flt_decode_session(struct nlattr *attrs, int length, struct flt_session *out);
/*
 * Decode a nest of cells: attribute i + 1 is cell i. Present cells are set; cells after the
 * last are skipped. attr may be NULL.
 */
int flt_decode_numbers(struct nlattr *attr, uint64_t *out, int count);
int flt_decode_events(struct nlattr *attrs, int length, struct flt_event_bytes *out);

#endif
