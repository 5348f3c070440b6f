/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * server.h - path B: the fault server, a process that serves the faults of one image.
 *
 * All code of this folder but spawn.c runs in the server alone, without a libc thread: it
 * makes raw system calls, touches no limited memory and waits for no lock.
 */
#ifndef FLT_REC_SERVER_H
#define FLT_REC_SERVER_H

/* Serve the image until it ends. pidfd: the image's process. */
void rec_server_run(int socket, int pidfd) __attribute__((noreturn));

#endif
