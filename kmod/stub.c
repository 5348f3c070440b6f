// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module for kernels that cannot run flt. It refuses to load and reports why. A build
 * that fails would break the upgrade of the kernel package (DKMS).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/errno.h>
#include <linux/module.h>

static int __init flt_init(void)
{
	pr_err("this kernel lacks " FLT_MISSING ", which flt needs\n");
	return -EOPNOTSUPP;
}

module_init(flt_init);
MODULE_DESCRIPTION("Exact page fault accounts per process: unsupported kernel");
MODULE_AUTHOR("The flt maintainers");
/* fltctl check prints this value. */
MODULE_INFO(lacks, FLT_MISSING);
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
