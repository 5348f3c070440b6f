// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * instructions.c - compare recorder/arch/x86/instruction.h with the processor.
 *
 * Each instruction accesses a page that cannot be accessed. The error code of the exception
 * tells whether the access was a store. Exit with status 1 if the decoder says something else.
 */
#include "arch/instruction.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

/* rax points to the page, rcx = 1, k1 and all vectors are all ones. */
#define ALL(X) \
	X("mov %ecx, (%rax)") X("mov (%rax), %ecx") X("add %ecx, (%rax)") X("add (%rax), %ecx") \
	X("cmp %ecx, (%rax)") X("cmpl $1, (%rax)") X("addl $1, (%rax)") X("incl (%rax)") \
	X("negl (%rax)") X("mull (%rax)") X("testl $1, (%rax)") X("xchg %ecx, (%rax)") \
	X("lock xadd %ecx, (%rax)") X("lock cmpxchg %ecx, (%rax)") X("btl $1, (%rax)") \
	X("btsl $1, (%rax)") X("shll $1, (%rax)") X("sete (%rax)") X("movzbl (%rax), %ecx") \
	X("movnti %ecx, (%rax)") X("movq (%rax), %xmm0") X("movq %xmm0, (%rax)") \
	X("movups (%rax), %xmm0") X("movups %xmm0, (%rax)") X("movdqa %xmm0, (%rax)") \
	X("movaps (%rax), %xmm0") X("movlps %xmm0, (%rax)") X("movhps (%rax), %xmm0") \
	X("movntps %xmm0, (%rax)") X("pshufb (%rax), %xmm0") X("paddd (%rax), %xmm0") \
	X("fldl (%rax)") X("fstl (%rax)") X("fstpt (%rax)") X("fildl (%rax)") X("stmxcsr (%rax)") \
	X("ldmxcsr (%rax)") X("fxsave (%rax)") X("movbe %ecx, (%rax)") X("movbe (%rax), %ecx")
#define AVX2(X) \
	X("vmovups (%rax), %ymm0") X("vmovups %ymm0, (%rax)") X("vmovq (%rax), %xmm0") \
	X("vmovq %xmm0, (%rax)") X("vmovd %xmm0, (%rax)") X("vmovdqa %ymm0, (%rax)") \
	X("vmovntdq %ymm0, (%rax)") X("vmovntdqa (%rax), %ymm0") X("vpshufb (%rax), %ymm0, %ymm1") \
	X("vphaddw (%rax), %ymm0, %ymm1") X("vphaddd (%rax), %ymm0, %ymm1") \
	X("vphaddsw (%rax), %ymm0, %ymm1") X("vpmaddubsw (%rax), %ymm0, %ymm1") \
	X("vphsubw (%rax), %ymm0, %ymm1") X("vpmovsxbw (%rax), %ymm0") X("vpmovsxbd (%rax), %ymm0") \
	X("vpmovsxdq (%rax), %ymm0") X("vpmovzxbw (%rax), %ymm0") X("vpmovzxbd (%rax), %ymm0") \
	X("vpmovzxwq (%rax), %ymm0") X("vpmovzxdq (%rax), %ymm0") X("vpermd (%rax), %ymm0, %ymm1") \
	X("vpermps (%rax), %ymm0, %ymm1") X("vcvtph2ps (%rax), %ymm0") \
	X("vmaskmovps %ymm0, %ymm1, (%rax)") X("vmaskmovpd %ymm0, %ymm1, (%rax)") \
	X("vmaskmovps (%rax), %ymm1, %ymm0") X("vpmaskmovd %ymm0, %ymm1, (%rax)") \
	X("vpmaskmovd (%rax), %ymm1, %ymm0") X("vpbroadcastd (%rax), %ymm0") \
	X("vbroadcastss (%rax), %ymm0") X("vextracti128 $1, %ymm0, (%rax)") \
	X("vinserti128 $1, (%rax), %ymm0, %ymm1") X("vpextrb $1, %xmm0, (%rax)") \
	X("vpermq $1, (%rax), %ymm0") X("vcvtps2ph $0, %ymm0, (%rax)") \
	X("vfmadd132ps (%rax), %ymm0, %ymm1") X("vpsllvd (%rax), %ymm0, %ymm1")
#define AVX512(X) \
	X("vmovups %zmm0, (%rax)") X("vmovups (%rax), %zmm0") X("vmovdqu64 %zmm0, (%rax){%k1}") \
	X("vpmovwb %zmm0, (%rax)") X("vpmovqd %zmm0, (%rax)") X("vpmovsdb %zmm0, (%rax)") \
	X("vpmovusqw %zmm0, (%rax)") X("vpmovzxbw (%rax), %zmm0") X("vpmovsxwd (%rax), %zmm0") \
	X("vpmovsxdq (%rax), %zmm0") X("vpshufb (%rax), %zmm0, %zmm1") \
	X("vptestnmd (%rax), %zmm0, %k2") X("vptestmd (%rax), %zmm0, %k2") \
	X("vcompressps %zmm0, (%rax){%k1}") X("vpcompressq %zmm0, (%rax){%k1}") \
	X("vexpandps (%rax), %zmm0") X("vpsrlvw (%rax), %zmm0, %zmm1") \
	X("vpermd (%rax), %zmm0, %zmm1") X("kmovw %k1, (%rax)") X("kmovw (%rax), %k2") \
	X("vextracti64x4 $1, %zmm0, (%rax)") X("vinserti64x4 $1, (%rax), %zmm0, %zmm1")

#define NAME(text) text,
#define STUB(text) "1: " text "\nret\n.pushsection stubs, \"aw\"\n.quad 1b\n.popsection\n"

static const char *const names[] = { ALL(NAME) AVX2(NAME) AVX512(NAME) };
extern void *const __start_stubs[];
void run(void *stub, char *page);
__asm__(".text\n" ALL(STUB) AVX2(STUB) AVX512(STUB)
	"run: mov %rdi, %rdx\nmov %rsi, %rax\nmov $1, %ecx\n"
	"vpcmpeqd %ymm0, %ymm0, %ymm0\nvpcmpeqd %ymm1, %ymm1, %ymm1\njmp *%rdx\n");

static const char *current;
static sigjmp_buf back;
static int tested, failed;
static void on_fault(int sig, siginfo_t *info, void *context)
{
	const greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	int store = g[REG_ERR] >> 1 & 1;

	(void)info;
	tested += sig == SIGSEGV;
	if (sig == SIGSEGV && rec_instruction_stores((const unsigned char *)g[REG_RIP]) != store) {
		printf("not ok %s: the processor %s\n", current, store ? "stores" : "loads");
		failed = 1;
	}
	siglongjmp(back, 1);
}

int main(void)
{
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	size_t n = sizeof(names) / sizeof(names[0]);

	if (!__builtin_cpu_supports("avx2")) {
		printf("ok instructions # skip: no AVX2\n");
		return 0;
	}
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGILL, &sa, NULL);
	for (size_t i = 0; i < n; i++) {
		/* The others raise SIGILL here, and are not compared. */
		current = names[i];
		if (!sigsetjmp(back, 1))
			run(__start_stubs[i], page);
	}
	printf("# %d of %zu instructions ran on this processor\n", tested, n);
	if (!failed && tested)
		printf("ok the decoder agrees with the processor\n");
	return failed || !tested;
}
