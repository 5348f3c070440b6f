/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h - attributes of <linux/flt.h> into the structs of account.h.
 *
 * Nothing is believed: an attribute too short for its type, or a nest that does
 * not hold together, makes the message -EBADMSG; strings are cut to their place
 * and terminated; attributes not known are skipped. Attributes that a row makes
 * no sense without are missed with -EBADMSG, others count as 0. out is only to be
 * used after success.
 */
#ifndef FLT_SOURCE_DECODE_H
#define FLT_SOURCE_DECODE_H

#include "account/account.h"

struct nlattr;

/* Bytes of a CPU's stream, in the message; or a horizon, and no bytes. */
struct flt_event_bytes {
	uint32_t session, cpu;
	const void *slots;
	size_t size;		/* a multiple of 64 */
	uint64_t horizon;	/* if that is 0 */
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
 * A nest of cells, attribute i + 1 being cell i: those that are there are set, those past
 * the last are left out. attr may be NULL.
 */
int flt_decode_numbers(struct nlattr *attr, uint64_t *out, int count);
int flt_decode_events(struct nlattr *attrs, int length, struct flt_event_bytes *out);

#endif
