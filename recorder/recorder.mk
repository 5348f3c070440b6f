# SPDX-License-Identifier: GPL-2.0-or-later
# libfltrec.so, preloaded into the program that fltctl record limits.

REC_DIRS := $(patsubst %/,%,$(wildcard recorder/*/))
REC := $(patsubst %.c,$(O)/%.o,$(wildcard $(addsuffix /*.c,$(REC_DIRS))))
# The server runs this code without a libc thread: no stack protector, which is in thread-local
# storage, and no symbols that the dynamic linker would resolve at the first call.
REC_CPPFLAGS := -Irecorder -I. -fPIC -fvisibility=hidden -fno-stack-protector
$(foreach d,$(REC_DIRS),$(eval CPPFLAGS_$(d) += $(REC_CPPFLAGS)))
OBJCOPY ?= objcopy
JEMALLOC_PIC ?= /usr/lib/$(shell $(CC) -print-multiarch)/libjemalloc_pic.a
# Debian's jemalloc has a profiler on amd64 only. It needs libgcc.
CPPFLAGS_recorder/hook += -DREC_HEAP_HAS_PROFILER=$(shell nm $(JEMALLOC_PIC) 2>/dev/null | \
	grep -c ' U _Unwind_Backtrace')

# jemalloc without its C++ operators, because they would load libstdc++ into C programs. The
# operators of libstdc++ call malloc() anyway. hook/heap.c replaces some functions. hook/jemalloc.c
# has those that only the profiler calls.
# Only in Debian 11 does jemalloc define __libc_malloc() and its like.
REC_RENAMED := malloc calloc realloc memalign exp log round _Unwind_Backtrace _Unwind_GetIP
REC_STRIPPED := aligned_alloc $(addprefix __libc_,malloc calloc realloc memalign valloc free)
$(O)/recorder/jemalloc.a: $(JEMALLOC_PIC) recorder/recorder.mk
	@mkdir -p $(@D)
	cp $< $@.tmp && $(AR) d $@.tmp jemalloc_cpp.pic.o && \
		$(OBJCOPY) $(addprefix --strip-symbol=,$(REC_STRIPPED)) $(foreach f,$(REC_RENAMED),\
			--redefine-sym $f=rec_jemalloc_$f) $@.tmp && mv $@.tmp $@

$(O)/libfltrec.so: $(REC) $(FLT_CORE) $(O)/recorder/jemalloc.a
	$(CC) -shared $(LDFLAGS) -o $@ $(REC) $(FLT_CORE) -Wl,--whole-archive $(O)/recorder/jemalloc.a \
		-Wl,--no-whole-archive -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete -Wl,-soname,libfltrec.so \
		-pthread -ldl

PROGRAMS += $(O)/libfltrec.so
