/* SPDX-License-Identifier: GPL-2.0-only */
/* orphans - end the sessions and trackers of netlink sockets that were closed. */
#ifndef FLT_ORPHANS_H
#define FLT_ORPHANS_H

int flt_orphans_init(void);
/* Stop watching sockets, and end what they owned. May sleep. */
void flt_orphans_exit(void);
/* Wait until the sessions of closed sockets have ended, or their trackers. May sleep. */
void flt_orphans_close_sessions(void);
void flt_orphans_end_trackers(void);

#endif
