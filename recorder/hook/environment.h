/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * environment.h - the environment that loads the recorder into a program, or must not load it.
 *
 * A seccomp filter outlives exec, and does not know the system calls of the recorder and its heap.
 * The dynamic linker of another C library ends a program that cannot load the recorder.
 */
#ifndef FLT_REC_ENVIRONMENT_H
#define FLT_REC_ENVIRONMENT_H

#include <stddef.h>

/*
 * Return the path of the recorder if the variable makes the dynamic linker load it, or NULL. n
 * receives the length of the path.
 */
const char *rec_environment_library(const char *variable, size_t *n)
	__attribute__((visibility("hidden")));
/* Return the bytes that rec_environment_without() needs. */
size_t rec_environment_room(char *const *env) __attribute__((visibility("hidden")));
/*
 * Return the environment without the recorder: other libraries of LD_PRELOAD stay. Allocates
 * nothing, because this runs between vfork and exec and in signal handlers.
 */
char *const *rec_environment_without(char *const *env, void *room)
	__attribute__((visibility("hidden")));

#endif
