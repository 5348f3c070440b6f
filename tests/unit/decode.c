// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "source/netlink/decode.h"
#include "source/netlink/genl.h"
#include "source/proc/procfs.h"

static struct nlattr *attrs_of(struct nl_msg *msg, int *length)
{
	*length = nlmsg_datalen(nlmsg_hdr(msg));
	return nlmsg_data(nlmsg_hdr(msg));
}

static void put_account(struct nl_msg *msg, int attr, uint64_t minor)
{
	struct nlattr *nest = nla_nest_start(msg, attr), *kind;

	nla_put_u64(msg, FLT_ACCOUNT_MINOR, minor);
	nla_put_u64(msg, FLT_ACCOUNT_MAJOR, 2);
	nla_put_u32(msg, FLT_ACCOUNT_ATTEMPTS, 3);
	kind = nla_nest_start(msg, FLT_ACCOUNT_KIND);
	nla_put_u32(msg, FLT_KIND_ATTR_ID, FLT_KIND_COW);
	nla_put_u64(msg, FLT_KIND_ATTR_COUNT, 5);
	nla_nest_end(msg, kind);
	kind = nla_nest_start(msg, FLT_ACCOUNT_KIND);
	nla_put_u32(msg, FLT_KIND_ATTR_ID, FLT_KIND_MAX);
	nla_put_u64(msg, FLT_KIND_ATTR_COUNT, 6);
	nla_nest_end(msg, kind);
	kind = nla_nest_start(msg, FLT_ACCOUNT_KIND);
	nla_put_u32(msg, FLT_KIND_ATTR_ID, 1000);
	nla_put_u64(msg, FLT_KIND_ATTR_COUNT, 7);
	nla_nest_end(msg, kind);
	nla_nest_end(msg, nest);
}

static struct nl_msg *proc_message(void)
{
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);

	nla_put_u32(msg, FLT_PROC_TGID, 1234);
	nla_put_u64(msg, FLT_PROC_ID, UINT64_MAX);
	nla_put(msg, FLT_PROC_COMM, 16, "sixteen bytes ok");
	nla_put_flag(msg, FLT_PROC_ENDED);
	put_account(msg, FLT_PROC_ACCOUNT, 10);
	nla_put_u32(msg, FLT_PROC_MAX + 5, 1);
	return msg;
}

static void process_is_decoded(void **state)
{
	struct nl_msg *msg = proc_message();
	struct flt_row row;
	int length;
	struct nlattr *attrs = attrs_of(msg, &length);

	(void)state;
	assert_int_equal(flt_decode_proc(attrs, length, &row), 0);
	assert_int_equal(row.tgid, 1234);
	assert_true(row.id == UINT64_MAX);
	/* The name has maximum length and no terminating NUL in the message. */
	assert_string_equal(row.comm, "sixteen bytes ok");
	assert_true(row.ended);
	assert_false(row.whole);
	assert_int_equal(row.account.minor, 10);
	assert_int_equal(row.account.attempts, 3);
	assert_int_equal(row.account.failed, 0);
	assert_int_equal(row.account.kinds[FLT_KIND_COW], 5);
	assert_int_equal(row.account.kinds[FLT_KIND_MAX], 6);
	assert_int_equal(row.account.kinds_beyond, 7);
	nlmsg_free(msg);
}

/* A message truncated within an attribute is refused; one truncated between two is decoded. */
static void truncated_process_is_refused(void **state)
{
	struct nl_msg *msg = proc_message();
	struct flt_row row;
	int length, n, ret, taken = 0;
	struct nlattr *attrs = attrs_of(msg, &length);
	void *copy;

	(void)state;
	for (n = 0; n < length; n++) {
		copy = malloc((size_t)n + 1);
		memcpy(copy, attrs, (size_t)n);
		ret = flt_decode_proc(copy, n, &row);
		assert_true(ret == 0 || ret == -EBADMSG);
		taken += !ret;
		free(copy);
	}
	/* Valid: truncated after ID, COMM, ENDED or ACCOUNT, or within the padding of COMM. */
	assert_in_range(taken, 3, 6);
	nlmsg_free(msg);
}

static void short_attribute_is_refused(void **state)
{
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct flt_row row;
	int length;
	struct nlattr *attrs;

	(void)state;
	nla_put_u32(msg, FLT_PROC_TGID, 1);
	nla_put_u32(msg, FLT_PROC_ID, 1);
	attrs = attrs_of(msg, &length);
	assert_int_equal(flt_decode_proc(attrs, length, &row), -EBADMSG);
	nlmsg_free(msg);
}

static void missing_key_is_refused(void **state)
{
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct flt_session session;
	struct flt_info info;
	struct flt_row row;
	int length;
	struct nlattr *attrs;

	(void)state;
	nla_put_u32(msg, FLT_PROC_TGID, 1);
	attrs = attrs_of(msg, &length);
	assert_int_equal(flt_decode_proc(attrs, length, &row), -EBADMSG);
	assert_int_equal(flt_decode_task(attrs, length, &row), -EBADMSG);
	assert_int_equal(flt_decode_info(attrs, length, &info), -EBADMSG);
	assert_int_equal(flt_decode_session(attrs, 0, &session), -EBADMSG);
	nlmsg_free(msg);
}

static void tally_is_decoded(void **state)
{
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct flt_tally tally;
	int length;
	struct nlattr *attrs;

	(void)state;
	put_account(msg, FLT_TALLY_ALL, 100);
	put_account(msg, FLT_TALLY_RETIRED, 30);
	nla_put_u64(msg, FLT_TALLY_FAILED_SIGBUS, 4);
	nla_put_u64(msg, FLT_TALLY_LOST_FULL, 5);
	attrs = attrs_of(msg, &length);
	assert_int_equal(flt_decode_tally(attrs, length, &tally), 0);
	assert_int_equal(tally.all.minor, 100);
	assert_int_equal(tally.retired.minor, 30);
	assert_int_equal(tally.other.minor, 0);
	assert_int_equal(tally.failures[FLT_FAILURE_SIGBUS], 4);
	assert_int_equal(tally.lost_full, 5);
	nlmsg_free(msg);
}

static void latency_is_decoded(void **state)
{
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct flt_latency latency;
	struct nlattr *nest, *attrs;
	int length;

	(void)state;
	nla_put_u32(msg, FLT_LATENCY_KIND, FLT_KIND_SWAP);
	nla_put_flag(msg, FLT_LATENCY_MAJOR);
	nla_put_u64(msg, FLT_LATENCY_PROC, 21);
	nla_put_u32(msg, FLT_LATENCY_CAUSE, FLT_CAUSE_SWAP);
	nla_put_u64(msg, FLT_LATENCY_SUM, 22);
	nla_put_u64(msg, FLT_LATENCY_MAXIMUM, 23);
	nest = nla_nest_start(msg, FLT_LATENCY_BUCKETS);
	nla_put_u64(msg, 1, 11);
	nla_put_u64(msg, FLT_BUCKETS, 12);
	nla_put_u64(msg, FLT_BUCKETS + 1, 13);
	nla_nest_end(msg, nest);
	attrs = attrs_of(msg, &length);
	assert_int_equal(flt_decode_latency(attrs, length, &latency), 0);
	assert_true(latency.major);
	assert_int_equal(latency.proc, 21);
	assert_int_equal(latency.cause, FLT_CAUSE_SWAP);
	assert_int_equal(latency.sum, 22);
	assert_int_equal(latency.max, 23);
	assert_int_equal(latency.buckets[0], 11);
	assert_int_equal(latency.buckets[FLT_BUCKETS - 1], 12);
	nlmsg_free(msg);
}

static void slow_fault_is_decoded(void **state)
{
	struct nl_msg *msg = nlmsg_alloc_simple(1, 0);
	struct nlattr *nest, *attrs;
	struct flt_slow slow;
	int length;

	(void)state;
	nla_put_u64(msg, FLT_SLOWEST_LATENCY, 100);
	nest = nla_nest_start(msg, FLT_SLOWEST_CAUSES);
	nla_put_u64(msg, FLT_CAUSE_OTHER + 1, 40);
	nla_put_u64(msg, FLT_CAUSE_IO + 1, 60);
	nla_put_u64(msg, __FLT_CAUSE_MAX + 1, 7);	/* of a newer module */
	nla_nest_end(msg, nest);
	attrs = attrs_of(msg, &length);
	assert_int_equal(flt_decode_slow(attrs, length, &slow), 0);
	assert_int_equal(slow.ns, 100);
	assert_int_equal(slow.cause[FLT_CAUSE_OTHER], 40);
	assert_int_equal(slow.cause[FLT_CAUSE_IO], 60);
	assert_int_equal(slow.cause[FLT_CAUSE_SWAP], 0);
	nlmsg_free(msg);
}

/*
 * Any bytes are decoded or refused with -EBADMSG. Strings are terminated. The message is
 * copied to the heap so that the address sanitizer detects reads past its end.
 */
static void random_bytes_are_decoded_or_refused(void **state)
{
	struct nl_msg *seed = proc_message();
	struct flt_session session;
	struct flt_latency latency;
	struct flt_tally tally;
	struct flt_hook hook;
	struct flt_info info;
	struct flt_row row;
	int length, n, i, flips, ret[7], refused = 0;
	struct nlattr *attrs = attrs_of(seed, &length);
	unsigned char *copy;
	size_t k;

	(void)state;
	srand(3);
	for (k = 0; k < 30000; k++) {
		n = k % 3 ? length : rand() % (length + 1);
		copy = malloc(n ? (size_t)n : 1);
		memcpy(copy, attrs, (size_t)n);
		flips = n ? rand() % 6 : 0;
		for (i = 0; i < flips; i++)
			copy[rand() % n] = (unsigned char)rand();
		ret[0] = flt_decode_proc((struct nlattr *)copy, n, &row);
		if (!ret[0])
			assert_true(strlen(row.comm) < sizeof(row.comm));
		ret[1] = flt_decode_task((struct nlattr *)copy, n, &row);
		ret[2] = flt_decode_info((struct nlattr *)copy, n, &info);
		if (!ret[2])
			assert_true(strlen(info.version) < sizeof(info.version));
		ret[3] = flt_decode_hook((struct nlattr *)copy, n, &hook);
		if (!ret[3])
			assert_true(strlen(hook.symbol) < sizeof(hook.symbol));
		ret[4] = flt_decode_tally((struct nlattr *)copy, n, &tally);
		ret[5] = flt_decode_latency((struct nlattr *)copy, n, &latency);
		ret[6] = flt_decode_session((struct nlattr *)copy, n, &session);
		for (i = 0; i < 7; i++) {
			assert_true(!ret[i] || ret[i] == -EBADMSG);
			refused += ret[i] != 0;
		}
		free(copy);
	}
	assert_true(refused > 1000);
	nlmsg_free(seed);
}

/* Build an acknowledgement like the kernel. If capped, it does not contain the request. */
static size_t build_ack(unsigned char *out, const char *sentence, bool capped, uint16_t type)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)out;
	size_t at = NLMSG_HDRLEN;
	struct nlattr attr;

	*nlh = (struct nlmsghdr){ .nlmsg_type = type,
				  .nlmsg_flags = (uint16_t)(NLM_F_ACK_TLVS |
							    (capped ? NLM_F_CAPPED : 0)) };
	if (type == NLMSG_DONE) {
		memcpy(out + at, &(int){ -EINVAL }, sizeof(int));
		at += sizeof(int);
	} else {
		struct nlmsgerr err = { .error = -EINVAL,
					.msg = { .nlmsg_len = NLMSG_HDRLEN + 8 } };

		memcpy(out + at, &err, sizeof(err));
		at += sizeof(err);
		if (!capped) {
			memset(out + at, 0xaa, 8);
			at += 8;
		}
	}
	attr = (struct nlattr){ .nla_type = NLMSGERR_ATTR_OFFS, .nla_len = NLA_HDRLEN + 4 };
	memcpy(out + at, &attr, NLA_HDRLEN);
	memset(out + at + NLA_HDRLEN, 0, 4);
	at += NLA_HDRLEN + 4;
	attr = (struct nlattr){ .nla_type = NLMSGERR_ATTR_MSG,
				.nla_len = (uint16_t)(NLA_HDRLEN + strlen(sentence) + 1) };
	memcpy(out + at, &attr, NLA_HDRLEN);
	memcpy(out + at + NLA_HDRLEN, sentence, strlen(sentence) + 1);
	at += attr.nla_len;
	nlh->nlmsg_len = (uint32_t)at;
	return at;
}

static void extack_text_is_extracted(void **state)
{
	unsigned char buffer[256], *copy;
	char text[64], tiny[5];
	size_t n, length;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		length = build_ack(buffer, "no such thing", i == 1,
				   i == 2 ? NLMSG_DONE : NLMSG_ERROR);
		flt_genl_extack((struct nlmsghdr *)buffer, text, sizeof(text));
		assert_string_equal(text, "no such thing");
		flt_genl_extack((struct nlmsghdr *)buffer, tiny, sizeof(tiny));
		assert_string_equal(tiny, "no s");
		/* A message whose length is too short yields no text and no read past its end. */
		for (n = NLMSG_HDRLEN; n < length; n++) {
			copy = malloc(n);
			memcpy(copy, buffer, n);
			((struct nlmsghdr *)copy)->nlmsg_len = (uint32_t)n;
			flt_genl_extack((struct nlmsghdr *)copy, text, sizeof(text));
			assert_string_equal(text, "");
			free(copy);
		}
	}
	((struct nlmsghdr *)buffer)->nlmsg_flags = 0;
	flt_genl_extack((struct nlmsghdr *)buffer, text, sizeof(text));
	assert_string_equal(text, "");
}

static void stat_line_is_parsed(void **state)
{
	static const char good[] =
		"77 (a) b (c) S 1 77 77 0 -1 4194560 581 5699 3 55 34 71 1110 1920 20 0 "
		"6 0 2925 4456448 799\n";
	struct flt_row row;
	char copy[256];
	size_t n;

	(void)state;
	assert_int_equal(flt_procfs_parse_stat(good, strlen(good), 100, &row), 0);
	assert_int_equal(row.tgid, 77);
	assert_string_equal(row.comm, "a) b (c");
	assert_int_equal(row.account.minor, 581);
	assert_int_equal(row.account.major, 3);
	assert_int_equal(row.threads, 6);
	assert_true(row.start == 29250000000ull);
	assert_false(row.ended);
	for (n = 0; n < strlen(good) - 18; n++) {
		memcpy(copy, good, n);
		copy[n] = '\0';
		assert_int_equal(flt_procfs_parse_stat(copy, n, 100, &row), -EBADMSG);
	}
	assert_int_equal(flt_procfs_parse_stat(") (", 3, 100, &row), -EBADMSG);
	assert_int_equal(flt_procfs_parse_stat("x (y) S", 7, 100, &row), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_is_decoded),
		cmocka_unit_test(truncated_process_is_refused),
		cmocka_unit_test(short_attribute_is_refused),
		cmocka_unit_test(missing_key_is_refused),
		cmocka_unit_test(tally_is_decoded),
		cmocka_unit_test(latency_is_decoded),
		cmocka_unit_test(slow_fault_is_decoded),
		cmocka_unit_test(random_bytes_are_decoded_or_refused),
		cmocka_unit_test(extack_text_is_extracted),
		cmocka_unit_test(stat_line_is_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
