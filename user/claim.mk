# SPDX-License-Identifier: GPL-2.0-or-later
# The kernels that DKMS builds the module for, on the architecture of the compiler. dkms.conf is the
# only place that lists them. DKMS reads the file with bash, too.

CPPFLAGS_user/source/proc += -I$(O)/user/source/proc

$(O)/user/source/proc/claim.h: dkms.conf user/claim.mk
	@mkdir -p $(@D)
	@arch=$$($(CC) -dumpmachine | cut -d- -f1) bash -c '. ./dkms.conf && \
		printf "#define FLT_DKMS_KERNELS \"%s\"\n" "$${BUILD_EXCLUSIVE_KERNEL//\\/\\\\}"' >$@

$(O)/user/source/proc/dkms.o $(O)/san/user/source/proc/dkms.o: $(O)/user/source/proc/claim.h
