// SPDX-License-Identifier: GPL-2.0-or-later
/* kexec KERNEL INITRD COMMANDLINE - replace the running kernel, as kexec(8) does. */
#include <err.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc != 4)
		errx(2, "usage: kexec KERNEL INITRD COMMANDLINE");
	kernel = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (kernel < 0)
		err(1, "%s", argv[1]);
	initrd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (initrd < 0)
		err(1, "%s", argv[2]);
	if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1, argv[3], 0))
		err(1, "cannot load %s", argv[1]);
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	err(1, "cannot start %s", argv[1]);
}
