// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * soak.c - many threads perform random operations on memory and check the value of each word.
 *
 * `soak SECONDS THREADS SEED` prints wrong words; a native run has none. Each block belongs to
 * a thread. The thread fills the block with words derived from the block's seed, and checks
 * them before it changes, drops or passes on the block. Shared pages have a word per thread.
 * A thread that needs a minute for one operation is reported as a hang.
 */
#include "soak.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define THREADS 64
#define HANG_NS (60 * 1000000000ull)	/* of CPU time */

/* Static, because the expected values must never be evicted. */
static struct worker worker[THREADS];
uint64_t *soak_shared;
_Atomic unsigned long soak_wrong;
char soak_self[256];
static _Atomic int stop;
static int nworkers;

uint64_t soak_mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x7fb5d329728ea185ull;
	x ^= x >> 27;
	x *= 0x81dadef4bc2dd44dull;
	return x ^ x >> 33;
}

uint64_t soak_chance(struct worker *w)
{
	return soak_mix(w->random += 0x9e3779b97f4a7c15ull);
}

int soak_is_wrong(void)
{
	return atomic_fetch_add(&soak_wrong, 1) < 20;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void add_shared(struct worker *w)
{
	for (int i = 0; i < 64; i++) {
		size_t page = soak_chance(w) % SHARED_PAGES;
		uint64_t *word = &soak_shared[page * (PAGE / 8) + w->number];

		if (*word != w->added[page]) {
			if (soak_is_wrong())
				fprintf(stderr, "wrong: worker %u: shared page %zu (%p) is %llu, not %llu; "
					"again %llu\n", w->number, page, (void *)word, (unsigned long long)*word,
					(unsigned long long)w->added[page], (unsigned long long)*word);
			*word = w->added[page];
		}
		*word += page + 1;
		w->added[page] += page + 1;
	}
}

static unsigned long deep(unsigned int n)
{
	volatile char room[3000];

	memset((void *)room, (int)n, sizeof(room));
	return n ? deep(n - 1) + (unsigned char)room[n] : (unsigned long)room[0];
}

static void operate(struct worker *w)
{
	uint64_t r = soak_chance(w) % 1000, began = now_ns();
	struct block *b = &w->block[soak_chance(w) % BLOCKS];

#define DO(what, call) do { w->doing = what; call; } while (0)
	if (!b->word)
		DO("make", soak_block_make(w, b));
	else if (r < 350)
		DO("check", soak_block_check(w, b, "look"));
	else if (r < 480)
		DO("drop", soak_block_drop(w, b));
	else if (r < 560)
		DO("resize", soak_block_resize(w, b));
	else if (r < 620)
		DO("advise", soak_block_advise(w, b));
	else if (r < 700)
		DO("transfer", soak_block_transfer(w, b));
	else if (r < 740)
		DO("give", soak_block_give(w, b));
	else if (r < 850)
		DO("shared", add_shared(w));
	else if (r < 870)
		DO("reserve", soak_block_reserve(w, b));
	else if (r < 900)
		DO("protect", soak_block_protect(w, b));
	else if (r < 950)
		DO("signal", soak_task_signal(w, worker, nworkers));
	else if (r < 980)
		DO("deep", deep((unsigned int)(r & 31)));
	else if (r < 990)
		DO("cancel", soak_task_cancel(w));
	else if (r < 993)
		DO("spawn", soak_task_spawn(w));
	else if (r < 996)
		DO("fork", soak_task_fork(w));
	began = now_ns() - began;
	if (began > w->slowest_ns) {
		w->slowest_ns = began;
		w->slowest = w->doing;
	}
	w->doing = NULL;
	atomic_fetch_add(&w->operations, 1);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int left;

	soak_task_is(w);
	/* a thread ends, and the next one continues with its blocks */
	for (left = 500 + (unsigned int)(soak_chance(w) % 1000); left && !atomic_load(&stop); left--)
		operate(w);
	soak_task_is(NULL);
	atomic_store(&w->alive, 0);
	return NULL;
}

static void begin(struct worker *w)
{
	w->life++;
	atomic_store(&w->alive, 1);
	if (pthread_create(&w->thread, NULL, work, w)) {
		fprintf(stderr, "no thread\n");
		exit(3);
	}
}

/* CPU time of all threads, because on a busy machine an operation may wait for a CPU for minutes. */
static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * Replace workers that ended. Abort if a worker starves, while others use the CPU. If all wait for
 * each other, the time limit of soak.sh ends the run.
 */
static void watch(uint64_t until)
{
	uint64_t seen[THREADS] = { 0 }, since[THREADS] = { 0 }, now;

	while (now_ns() < until && atomic_load(&soak_wrong) < 20) {
		now = cpu_ns();
		for (int i = 0; i < nworkers; i++) {
			struct worker *w = &worker[i];
			uint64_t ops = atomic_load(&w->operations);

			if (!atomic_load(&w->alive)) {
				pthread_join(w->thread, NULL);
				begin(w);
			}
			if (ops != seen[i]) {
				seen[i] = ops;
				since[i] = now;
			} else if (now - since[i] > HANG_NS) {
				fprintf(stderr, "wrong: worker %d does %s for a minute of CPU time\n", i,
					w->doing ? w->doing : "nothing");
				abort();
			}
		}
		usleep(2000);
	}
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = soak_task_handle, .sa_flags = SA_RESTART };
	const struct worker *slowest = worker;
	uint64_t end, operations = 0;

	if (argc != 4)
		return 2;
	end = now_ns() + strtoull(argv[1], NULL, 10) * 1000000000;
	nworkers = atoi(argv[2]);
	if (nworkers < 1 || nworkers > THREADS)
		return 2;
	if (readlink("/proc/self/exe", soak_self, sizeof(soak_self) - 1) < 0)
		return 2;
	sigaddset(&sa.sa_mask, SIGUSR1);
	sigaddset(&sa.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	soak_shared = mmap(NULL, SHARED_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	for (int i = 0; i < nworkers; i++) {
		struct worker *w = &worker[i];

		w->number = (unsigned int)i;
		w->random = strtoull(argv[3], NULL, 10) * 1000003 + (uint64_t)i;
		w->told = calloc(64, PAGE);
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, w->pipe))
			return 2;
		for (int k = 0; k < 2; k++)
			setsockopt(w->pipe[k], SOL_SOCKET, SO_SNDBUF, &(int){ 1 << 20 }, sizeof(int));
	}
	for (int i = 0; i < nworkers; i++)
		begin(&worker[i]);
	watch(end);
	atomic_store(&stop, 1);
	for (int i = 0; i < nworkers; i++)
		pthread_join(worker[i].thread, NULL);
	for (int i = 0; i < nworkers; i++) {
		struct worker *w = &worker[i];

		for (int k = 0; k < BLOCKS; k++)
			if (w->block[k].word)
				soak_block_check(w, &w->block[k], "at the end");
		for (size_t p = 0; p < SHARED_PAGES; p++)
			if (soak_shared[p * (PAGE / 8) + w->number] != w->added[p])
				soak_is_wrong();
		operations += w->operations;
		if (w->slowest_ns > slowest->slowest_ns)
			slowest = w;
	}
	if (argv[1][0] != '0') {	/* except in the image that fork_off() executes */
		fprintf(stderr, "%llu operations, the slowest took %llu ms (%s)\n",
			(unsigned long long)operations,
			(unsigned long long)slowest->slowest_ns / 1000000, slowest->slowest ? slowest->slowest : "");
		printf("wrong %lu\n", atomic_load(&soak_wrong));
	}
	return atomic_load(&soak_wrong) != 0;
}
