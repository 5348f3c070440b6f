/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soak.h - the workers of soak.c and their operations on memory. */
#ifndef SOAK_H
#define SOAK_H

#include "tests/workload/page.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCKS 48
#define SHARED_PAGES 2048u

enum { HEAP, MAP };

struct block {
	uint64_t *word;
	size_t bytes;
	uint64_t seed;
	int kind;
	const char *last;	/* the last operation */
};

struct worker {
	pthread_t thread;
	unsigned int number, life;
	uint64_t random;
	struct block block[BLOCKS];
	uint64_t added[SHARED_PAGES];	/* sum added to its word of each shared page */
	uint64_t *told;			/* limited memory for its signal handler */
	uint64_t signals;		/* number of signals handled */
	int pipe[2];
	/* for the detection of hangs */
	const char *doing;
	uint64_t slowest_ns;
	const char *slowest;
	_Atomic uint64_t operations;
	_Atomic int alive;
};

extern uint64_t *soak_shared;	/* SHARED_PAGES pages; word k of each belongs to worker k */
extern _Atomic unsigned long soak_wrong;
extern char soak_self[256];	/* path of the program */

uint64_t soak_mix(uint64_t x);
uint64_t soak_chance(struct worker *w);
/* Count an error. Return true if it should be printed, too. */
int soak_is_wrong(void);

/* soak_block.c: blocks of a worker. where is printed if a word is wrong. */
void soak_block_make(struct worker *w, struct block *b);
void soak_block_check(struct worker *w, const struct block *b, const char *where);
void soak_block_drop(struct worker *w, struct block *b);
void soak_block_resize(struct worker *w, struct block *b);
void soak_block_advise(struct worker *w, struct block *b);
void soak_block_protect(struct worker *w, struct block *b);
/* Drop the content of pages together with their access, and map them again. */
void soak_block_reserve(struct worker *w, struct block *b);
/* Copy a block with system calls that read and write limited memory. */
void soak_block_transfer(struct worker *w, struct block *b);
/* Pass the block to another worker and take a block passed by another worker. */
void soak_block_give(struct worker *w, struct block *b);

/* soak_task.c: processes, short-lived threads and signals. */
void soak_task_fork(struct worker *w);
void soak_task_spawn(struct worker *w);
void soak_task_cancel(struct worker *w);
void soak_task_signal(struct worker *w, struct worker *all, int n);
void soak_task_handle(int sig);
/* Set the worker of the calling thread for its signal handler. NULL unsets it. */
void soak_task_is(struct worker *w);

#endif
