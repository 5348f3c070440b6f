// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * soak.c - many threads do to memory all that can be done to it, and know what
 * each word must be.
 *
 * `soak SECONDS THREADS SEED` prints what is wrong, natively nothing. Blocks belong to
 * a thread, which fills them with words known from the block's seed, and checks them
 * before it changes, drops or gives them away; shared pages have a word of each thread.
 * Progress is watched: a thread that takes a minute for one operation is a hang.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define THREADS 64
#define BLOCKS 48
#define SHARED_PAGES 2048u
#define HANG_S 60

enum { HEAP, MAP };

struct block {
	uint64_t *word;
	size_t bytes;
	uint64_t seed;
	int kind;
	const char *last;	/* what was done to it */
};

struct worker {
	pthread_t thread;
	unsigned int number, life;
	uint64_t random;
	struct block block[BLOCKS];
	uint64_t added[SHARED_PAGES];	/* to its word of each shared page */
	uint64_t *told;			/* its signal handler's memory, limited */
	uint64_t signals;		/* that the handler has seen */
	int pipe[2];
	/* for the watch */
	const char *doing;
	_Atomic uint64_t operations;
	_Atomic int alive;
};

/* Not from the heap: what the truth is measured with is never evicted. */
static struct worker worker[THREADS];
static uint64_t *shared;		/* SHARED_PAGES pages, word k of each is worker k's */
static _Atomic unsigned long wrong;
static _Atomic int stop;
static struct block mail;		/* given away, not yet taken */
static pthread_mutex_t mail_lock = PTHREAD_MUTEX_INITIALIZER;
static int nworkers;
static char self[256];

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x7fb5d329728ea185ull;
	x ^= x >> 27;
	x *= 0x81dadef4bc2dd44dull;
	return x ^ x >> 33;
}

static uint64_t chance(struct worker *w)
{
	return mix(w->random += 0x9e3779b97f4a7c15ull);
}

static uint64_t expected(const struct block *b, size_t i)
{
	return mix(b->seed + i);
}

static void complain(const struct worker *w, const struct block *b, size_t i, const char *where)
{
	uint64_t got = b->word[i];

	if (atomic_fetch_add(&wrong, 1) < 20)
		fprintf(stderr, "wrong: worker %u life %u, %s after %s: block %p +%zu word %zu (%p) is %#llx, "
			"not %#llx; again %#llx\n", w->number, w->life, where, b->last, (void *)b->word,
			b->bytes, i, (void *)&b->word[i], (unsigned long long)got,
			(unsigned long long)expected(b, i), (unsigned long long)b->word[i]);
}

static void fill(struct block *b, size_t from, size_t to)
{
	for (size_t i = from / 8; i < to / 8; i++)
		b->word[i] = expected(b, i);
}

/* Every 16th word from a place by chance; the first and the last always. */
static void check(struct worker *w, const struct block *b, size_t bytes, const char *where)
{
	size_t n = bytes / 8;

	if (!n)
		return;
	for (size_t i = chance(w) % 16; i < n; i += 16)
		if (b->word[i] != expected(b, i)) {
			complain(w, b, i, where);
			return;
		}
	if (b->word[0] != expected(b, 0))
		complain(w, b, 0, where);
	if (b->word[n - 1] != expected(b, n - 1))
		complain(w, b, n - 1, where);
}

static void check_zero(struct worker *w, struct block *b, size_t from, size_t to, const char *where)
{
	for (size_t i = from / 8; i < to / 8; i += 8)
		if (b->word[i]) {
			if (atomic_fetch_add(&wrong, 1) < 20)
				fprintf(stderr, "wrong: worker %u, %s after %s: %p is %#llx, not 0\n",
					w->number, where, b->last, (void *)&b->word[i],
					(unsigned long long)b->word[i]);
			return;
		}
}

static size_t some_size(struct worker *w)
{
	uint64_t r = chance(w);

	switch (r % 16) {
	case 0: case 1: case 2: case 3: return 8 + (r >> 8) % 500 * 8;
	case 4: case 5: case 6: case 7: return 8 + (r >> 8) % 4000 * 8;
	case 8: return 8 + (r >> 8) % (2u << 20) / 8 * 8;
	default: return 8 + (r >> 8) % (96u << 10) / 8 * 8;
	}
}

static void drop(struct worker *w, struct block *b)
{
	if (!b->word)
		return;
	check(w, b, b->bytes, "drop");
	if (b->kind == HEAP) {
		free(b->word);
	} else {
		size_t pages = (b->bytes + PAGE - 1) / PAGE, cut = pages > 1 ? chance(w) % pages : 0;

		/* in two parts, either first */
		if (cut && chance(w) & 1) {
			munmap(b->word, cut * PAGE);
			munmap((char *)b->word + cut * PAGE, (pages - cut) * PAGE);
		} else if (cut) {
			munmap((char *)b->word + cut * PAGE, (pages - cut) * PAGE);
			munmap(b->word, cut * PAGE);
		} else {
			munmap(b->word, b->bytes);
		}
	}
	b->word = NULL;
}

static void make(struct worker *w, struct block *b)
{
	uint64_t r = chance(w);
	size_t n = some_size(w);

	b->bytes = n;
	b->seed = chance(w);
	b->kind = HEAP;
	switch (r % 8) {
	case 0:
		b->word = calloc(1, n);
		b->last = "calloc";
		if (b->word)
			check_zero(w, b, 0, n, "calloc");
		break;
	case 1:
		if (posix_memalign((void **)&b->word, 1u << (4 + r / 8 % 12), n))
			b->word = NULL;
		b->last = "memalign";
		break;
	case 2: case 3: case 4:
		b->kind = MAP;
		b->word = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (b->word == MAP_FAILED)
			b->word = NULL;
		b->last = "mmap";
		if (b->word)
			check_zero(w, b, 0, n, "mmap");
		break;
	default:
		b->word = malloc(n);
		b->last = "malloc";
	}
	if (b->word)
		fill(b, 0, n);
}

static void resize(struct worker *w, struct block *b)
{
	size_t n = some_size(w), keep = n < b->bytes ? n : b->bytes;
	size_t old = (b->bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	void *p;

	if (b->kind == HEAP) {
		p = realloc(b->word, n);
		b->last = "realloc";
		if (!p)
			return;
	} else {
		p = mremap(b->word, b->bytes, n, MREMAP_MAYMOVE);
		b->last = "mremap";
		if (p == MAP_FAILED)
			return;
	}
	b->word = p;
	check(w, b, keep & ~7ul, "resize");
	if (b->kind == MAP && n > old)
		check_zero(w, b, old, n & ~7ul, "growth");
	b->bytes = n;
	fill(b, keep & ~7ul, n);
}

static void advise(struct worker *w, struct block *b)
{
	size_t pages = b->bytes / PAGE, first, n;

	if (b->kind != MAP || pages < 2)
		return;
	first = chance(w) % (pages - 1);
	n = 1 + chance(w) % (pages - first);
	check(w, b, b->bytes, "before dontneed");
	madvise((char *)b->word + first * PAGE, n * PAGE, MADV_DONTNEED);
	b->last = "dontneed";
	check_zero(w, b, first * PAGE, (first + n) * PAGE, "dontneed");
	fill(b, first * PAGE, (first + n) * PAGE);
	check(w, b, b->bytes, "dontneed");
}

static void protect(struct worker *w, struct block *b)
{
	size_t pages = b->bytes / PAGE, first;

	/* taken out of the limit for good: only now and then, and little */
	if (b->kind != MAP || pages < 2 || chance(w) % 8)
		return;
	first = chance(w) % pages;
	mprotect((char *)b->word + first * PAGE, PAGE, PROT_READ);
	b->last = "mprotect";
	check(w, b, b->bytes, "mprotect");
	mprotect((char *)b->word + first * PAGE, PAGE, PROT_READ | PROT_WRITE);
	fill(b, first * PAGE, (first + 1) * PAGE);
}

/* System calls that read and write limited memory. */
static void transfer(struct worker *w, struct block *b)
{
	static const size_t most = 60000;
	size_t n = b->bytes < most ? b->bytes & ~7ul : most, at = 0, end;
	uint64_t *to;

	if (!n)
		return;
	end = (b->bytes - n) & ~7ul;
	at = end ? chance(w) % end & ~7ul : 0;
	to = malloc(n);
	if (!to)
		return;
	if (write(w->pipe[1], (char *)b->word + at, n) != (ssize_t)n ||
	    recv(w->pipe[0], to, n, MSG_WAITALL) != (ssize_t)n) {
		if (atomic_fetch_add(&wrong, 1) < 20)
			fprintf(stderr, "wrong: worker %u: short transfer, %s\n", w->number, strerror(errno));
	} else if (memcmp(to, (char *)b->word + at, n)) {
		b->last = "transfer";
		for (size_t i = 0; i < n / 8; i++)
			if (to[i] != expected(b, at / 8 + i)) {
				if (atomic_fetch_add(&wrong, 1) < 20)
					fprintf(stderr, "wrong: worker %u: transfer of %p +%zu to %p: word %zu is "
						"%#llx, not %#llx\n", w->number, (void *)b->word, at, (void *)to, i,
						(unsigned long long)to[i],
						(unsigned long long)expected(b, at / 8 + i));
				break;
			}
		check(w, b, b->bytes, "transfer");
	}
	free(to);
}

static void give(struct worker *w, struct block *b)
{
	struct block was;

	pthread_mutex_lock(&mail_lock);
	was = mail;
	mail = *b;
	pthread_mutex_unlock(&mail_lock);
	*b = was;
	if (b->word)
		check(w, b, b->bytes, "mail");
}

static void add_shared(struct worker *w)
{
	for (int i = 0; i < 64; i++) {
		size_t page = chance(w) % SHARED_PAGES;
		uint64_t *word = &shared[page * (PAGE / 8) + w->number];

		if (*word != w->added[page]) {
			if (atomic_fetch_add(&wrong, 1) < 20)
				fprintf(stderr, "wrong: worker %u: shared page %zu (%p) is %llu, not %llu; "
					"again %llu\n", w->number, page, (void *)word, (unsigned long long)*word,
					(unsigned long long)w->added[page], (unsigned long long)*word);
			*word = w->added[page];
		}
		*word += page + 1;
		w->added[page] += page + 1;
	}
}

static void expect_status(struct worker *w, pid_t pid, int want, const char *what)
{
	int status = -1;
	pid_t got;

	do {
		got = waitpid(pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	if ((got != pid || status != want) && atomic_fetch_add(&wrong, 1) < 20)
		fprintf(stderr, "wrong: worker %u: %s ended with %#x\n", w->number, what, (unsigned int)status);
}

static void fork_off(struct worker *w)
{
	unsigned long before = atomic_load(&wrong);
	uint64_t how = chance(w) % 4;
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pid = how == 3 ? vfork() : fork();
	if (!pid && how == 3)
		_exit(0);
	if (!pid) {
		for (int i = 0; i < BLOCKS; i++)
			if (w->block[i].word)
				check(w, &w->block[i], w->block[i].bytes, "in a child");
		if (how == 1)
			execl(self, "soak", "0", "1", "7", (char *)NULL);
		for (int i = 0; i < BLOCKS; i += 2) {
			drop(w, &w->block[i]);
			make(w, &w->block[i]);
		}
		for (int i = 0; i < BLOCKS; i++)
			if (w->block[i].word)
				check(w, &w->block[i], w->block[i].bytes, "in a child, later");
		_exit(atomic_load(&wrong) != before);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid < 0) {
		if (errno != EAGAIN && errno != ENOMEM)
			atomic_fetch_add(&wrong, 1);
		return;
	}
	expect_status(w, pid, 0, how == 3 ? "vfork" : how == 1 ? "fork and exec" : "fork");
}

static void spawn(struct worker *w)
{
	char *const argv[] = { "sh", "-c", "exit 5", NULL };
	pid_t pid;

	if (!posix_spawnp(&pid, "sh", NULL, NULL, argv, (char *[]){ NULL }))
		expect_status(w, pid, 5 << 8, "spawn");
}

static __thread struct worker *me;

/* Touches limited memory, allocating nothing. */
static void on_signal(int sig)
{
	struct worker *w = me;
	int e = errno;

	(void)sig;
	if (!w || !w->told)
		return;
	w->signals++;
	for (size_t i = 0; i < 64 * PAGE / 8; i += PAGE / 8) {
		if (w->told[i] != w->signals - 1 && atomic_fetch_add(&wrong, 1) < 20) {
			static const char text[] = "wrong: a signal handler's memory\n";

			(void)!write(2, text, sizeof(text) - 1);
		}
		w->told[i] = w->signals;
	}
	errno = e;
}

static void signal_other(struct worker *w)
{
	struct worker *o = &worker[chance(w) % (unsigned int)nworkers];

	/* itself, or through the process: another may just end */
	if (o == w)
		pthread_kill(pthread_self(), SIGUSR1);
	else
		kill(getpid(), SIGUSR2);
}

static unsigned long deep(unsigned int n)
{
	volatile char room[3000];

	memset((void *)room, (int)n, sizeof(room));
	return n ? deep(n - 1) + (unsigned char)room[n] : (unsigned long)room[0];
}

static void *cancelled(void *p)
{
	uint64_t *mine = malloc(40 * PAGE);

	pthread_cleanup_push(free, mine);
	memset(mine, 1, 40 * PAGE);
	for (;;) {
		for (int i = 0; i < 40; i++)
			mine[(size_t)i * PAGE / 8]++;
		usleep(100);
	}
	pthread_cleanup_pop(1);
	return p;
}

static void cancel(struct worker *w)
{
	pthread_t t;
	void *how = NULL;

	(void)w;
	if (pthread_create(&t, NULL, cancelled, NULL))
		return;
	usleep(chance(w) % 1000);
	pthread_cancel(t);
	pthread_join(t, &how);
	if (how != PTHREAD_CANCELED)
		atomic_fetch_add(&wrong, 1);
}

static void operate(struct worker *w)
{
	uint64_t r = chance(w) % 1000;
	struct block *b = &w->block[chance(w) % BLOCKS];

#define DO(what, call) do { w->doing = what; call; } while (0)
	if (!b->word)
		DO("make", make(w, b));
	else if (r < 350)
		DO("check", check(w, b, b->bytes, "look"));
	else if (r < 480)
		DO("drop", drop(w, b));
	else if (r < 560)
		DO("resize", resize(w, b));
	else if (r < 620)
		DO("advise", advise(w, b));
	else if (r < 700)
		DO("transfer", transfer(w, b));
	else if (r < 740)
		DO("give", give(w, b));
	else if (r < 850)
		DO("shared", add_shared(w));
	else if (r < 900)
		DO("protect", protect(w, b));
	else if (r < 950)
		DO("signal", signal_other(w));
	else if (r < 980)
		DO("deep", deep((unsigned int)(r & 31)));
	else if (r < 990)
		DO("cancel", cancel(w));
	else if (r < 993)
		DO("spawn", spawn(w));
	else if (r < 996)
		DO("fork", fork_off(w));
	w->doing = NULL;
	atomic_fetch_add(&w->operations, 1);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int left;

	me = w;
	/* threads end and others go on with what they left */
	for (left = 500 + (unsigned int)(chance(w) % 1000); left && !atomic_load(&stop); left--)
		operate(w);
	me = NULL;
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

static uint64_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec;
}

static void watch(uint64_t until)
{
	uint64_t seen[THREADS] = { 0 }, since[THREADS], now;

	for (int i = 0; i < nworkers; i++)
		since[i] = seconds();
	while ((now = seconds()) < until && atomic_load(&wrong) < 20) {
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
			} else if (now - since[i] > HANG_S) {
				fprintf(stderr, "wrong: worker %d does %s for a minute\n", i,
					w->doing ? w->doing : "nothing");
				abort();
			}
		}
		usleep(2000);
	}
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	uint64_t end, operations = 0;

	if (argc != 4)
		return 2;
	end = seconds() + strtoull(argv[1], NULL, 10);
	nworkers = atoi(argv[2]);
	if (nworkers < 1 || nworkers > THREADS)
		return 2;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 2;
	sigaddset(&sa.sa_mask, SIGUSR1);
	sigaddset(&sa.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	shared = mmap(NULL, SHARED_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
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
				check(w, &w->block[k], w->block[k].bytes, "at the end");
		for (size_t p = 0; p < SHARED_PAGES; p++)
			if (shared[p * (PAGE / 8) + w->number] != w->added[p])
				atomic_fetch_add(&wrong, 1);
		operations += w->operations;
	}
	if (argv[1][0] != '0') {	/* not the image that fork_off() executes */
		fprintf(stderr, "%llu operations\n", (unsigned long long)operations);
		printf("wrong %lu\n", atomic_load(&wrong));
	}
	return wrong != 0;
}
