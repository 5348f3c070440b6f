/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * flt_mark.h - tell 'fltctl expect' that a program reached a point, for rules such as
 *
 *	major == 0 after mark "ready"
 *
 * flt_mark() does nothing unless fltctl started the program. Then FLT_MARK_FD is the number of a
 * socket (SOCK_SEQPACKET), which children inherit, and FLT_MARK_INODE is the inode of this socket:
 * a program that closed the socket may have another file with its number. A mark is one message:
 * CLOCK_MONOTONIC in nanoseconds as a decimal number, a space, and a name of up to 127 bytes.
 * Programs in other languages can send the same message with write(). fltctl ignores a message of
 * one space.
 *
 * Faults before the call of flt_mark() come before the mark, and so do its own faults. Faults after
 * the call come after the mark. The call waits while the buffer of the socket is full, at most ten
 * seconds. It keeps errno and raises no signal. Any thread may call it, but not a signal handler.
 */
#ifndef FLT_MARK_H
#define FLT_MARK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

/* Return the socket to fltctl, or -1. */
static inline int flt_mark_socket(void)
{
	const char *number = getenv("FLT_MARK_FD"), *inode = getenv("FLT_MARK_INODE");
	struct stat st;

	if (!number || fstat(atoi(number), &st))
		return -1;
	return !inode || strtoull(inode, NULL, 10) == st.st_ino ? atoi(number) : -1;
}

static inline void flt_mark(const char *name)
{
	const int error = errno, fd = flt_mark_socket();
	struct timespec now;
	char text[152];
	int i, length;

	for (i = 0; fd >= 0 && i < 2; i++) {
		/*
		 * The first round binds the functions and touches their pages, so that nothing
		 * faults after the time is taken in the second round.
		 */
		clock_gettime(CLOCK_MONOTONIC, &now);
		length = snprintf(text, sizeof(text), "%llu %.127s",
				  (unsigned long long)now.tv_sec * 1000000000ull +
					  (unsigned long long)now.tv_nsec, name);
		if (i)
			send(fd, text, (size_t)length, MSG_NOSIGNAL);
		else
			send(fd, " ", 1, MSG_NOSIGNAL);
	}
	errno = error;
}

#endif
