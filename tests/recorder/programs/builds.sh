# SPDX-License-Identifier: GPL-2.0-or-later
# Compilers and builds.
# shellcheck shell=bash disable=SC2016,SC2028,SC2154

PARTIAL='its code is larger than its heap' program gcc 2/4 gcc -O2 -S -o - "$here/omp.c"
program g++ 24/48 g++ -O2 -flto -frandom-seed=1 -S -o - "$here/map.cc"
NEEDS=g++ program lto 16/24 sh -c 'g++ -O2 -flto=2 -pthread -o lto "$0" && ./lto' "$here/map.cc"

# A project of thirty files.
mkdir project
for i in $(seq 30); do
	printf '#include <stdio.h>\n#include <stdlib.h>\nint f%d(int x) { return (x * %d) %% 1013; }\n' \
		"$i" "$i" > "project/f$i.c"
done
{
	seq -f 'int f%g(int);' 30
	echo '#include <stdio.h>'
	echo 'int main(void) { int x = 7;'
	seq -f 'x += f%g(x);' 30
	echo 'printf("%d\n", x); return 0; }'
} > project/main.c
printf 'CFLAGS = -O2 -g\nprogram: %s\n\t$(CC) -o $@ $^\n' "$(echo project/*.c |
	sed 's,project/\([a-z0-9]*\)\.c,\1.o,g')" > project/Makefile
NEEDS='make gcc' PARTIAL='the code of a compiler is larger than its heap' program make 6/8 sh -c 'rm -f project/*.o project/program
make -s -j2 -C project && ./project/program'
