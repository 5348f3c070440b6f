/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf.h - a trace of faults in the Common Trace Format 1.8, for babeltrace2 and Trace Compass.
 *
 * A trace is a directory: "metadata" describes the fields, and each file "faults-N" is a stream.
 * The times in a stream must not decrease. A fault that is older than the last one of a stream
 * goes to another stream, and readers merge the streams.
 */
#ifndef FLT_VIEW_CTF_H
#define FLT_VIEW_CTF_H

#include <stdint.h>

#include "text/errmsg.h"

struct flt_ctf;

/* NULL is written as an empty string, and so is an unknown path. */
struct flt_ctf_fault {
	uint64_t time;			/* end of the fault, ns since 1970 */
	uint64_t latency, address, ip, inode, offset;
	uint32_t pid, tid, device, weight, cpu;
	const char *comm, *result, *kind, *access, *path, *stack;
};

/* Make the directory, which must not exist. -EEXIST, or another -errno. */
int flt_ctf_new(struct flt_ctf **ctf, const char *directory, struct flt_errmsg *e);
/* Errors are kept for flt_ctf_end(). */
void flt_ctf_fault(struct flt_ctf *ctf, const struct flt_ctf_fault *fault);
/* Count faults that were lost before the next fault. */
void flt_ctf_lost(struct flt_ctf *ctf, uint64_t count);
/* Write the rest and free all. Return 0 or the first error. */
int flt_ctf_end(struct flt_ctf *ctf);

#endif
