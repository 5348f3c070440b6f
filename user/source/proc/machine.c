// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

#ifndef UFFD_FEATURE_MOVE
#define UFFD_FEATURE_MOVE (1 << 16)
#endif

#define CONFIG_BYTES_MAX (4u << 20)

int flt_machine_line(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	int err = 0;

	text[0] = '\0';
	if (!file)
		return -errno;
	errno = 0;
	if (!fgets(text, (int)size, file))
		err = errno ? -errno : -ENODATA;
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return err;
}

int flt_machine_number(const char *path, int64_t *out)
{
	char line[64], *end;
	int ret;

	ret = flt_machine_line(path, line, sizeof(line));
	if (ret)
		return ret;
	*out = strtoll(line, &end, 10);
	return end == line ? -EBADMSG : 0;
}

uint64_t flt_machine_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t flt_machine_huge_page(void)
{
	int64_t bytes;

	return flt_machine_number("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", &bytes) ||
	       bytes <= 0 ? 0 : (uint64_t)bytes;
}

static int read_all(FILE *file, char **text)
{
	size_t used = 0, room = 0, n;
	char *grown;

	*text = NULL;
	do {
		if (used + 1 >= room) {
			room = room ? room * 2 : 1u << 16;
			grown = room <= CONFIG_BYTES_MAX ? realloc(*text, room) : NULL;
			if (!grown) {
				free(*text);
				*text = NULL;
				return -ENOMEM;
			}
			*text = grown;
		}
		n = fread(*text + used, 1, room - used - 1, file);
		used += n;
	} while (n);
	(*text)[used] = '\0';
	if (used)
		return 0;
	free(*text);
	*text = NULL;
	return -ENODATA;
}

int flt_kconfig_open(struct flt_kconfig *config, const char *release)
{
	static const char *const places[] = { "/boot/config-%s", "/lib/modules/%s/config",
					      "/lib/modules/%s/build/.config" };
	FILE *file;
	size_t i;
	int ret;

	*config = (struct flt_kconfig){ .text = NULL };
	if (!access("/proc/config.gz", R_OK)) {
		snprintf(config->path, sizeof(config->path), "/proc/config.gz");
		file = popen("gzip -dc /proc/config.gz 2>/dev/null", "re");
		if (file) {
			ret = read_all(file, &config->text);
			pclose(file);
			if (!ret)
				return 0;
		}
	}
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(config->path, sizeof(config->path), places[i], release);
		file = fopen(config->path, "re");
		if (!file)
			continue;
		ret = read_all(file, &config->text);
		fclose(file);
		if (!ret)
			return 0;
	}
	return -ENOENT;
}

void flt_kconfig_close(struct flt_kconfig *config)
{
	free(config->text);
	config->text = NULL;
}

char flt_kconfig_value(const struct flt_kconfig *config, const char *name)
{
	size_t length = strlen(name);
	const char *line;

	for (line = config->text; line && *line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, name, length) || line[length] != '=')
			continue;
		return line[length + 1] == 'm' ? 'm' : line[length + 1] == 'n' ? 'n' : 'y';
	}
	return 'n';
}

int flt_machine_lockdown(char *text, size_t size)
{
	char line[128], *open, *close;
	int ret;

	text[0] = '\0';
	ret = flt_machine_line("/sys/kernel/security/lockdown", line, sizeof(line));
	if (ret == -ENOENT && flt_machine_mounted("/sys/kernel/security", SECURITYFS_MAGIC))
		return -EOPNOTSUPP;
	if (ret)
		return ret;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return -EBADMSG;
	*close = '\0';
	snprintf(text, size, "%s", open + 1);
	return 0;
}

bool flt_machine_signed_only(const char *lockdown)
{
	char line[16];

	if (!strcmp(lockdown, "integrity") || !strcmp(lockdown, "confidentiality"))
		return true;
	return !flt_machine_line("/sys/module/module/parameters/sig_enforce", line, sizeof(line)) &&
	       line[0] == 'Y';
}

int flt_machine_secure_boot(void)
{
	static const char directory[] = "/sys/firmware/efi/efivars";
	/* An EFI variable: four bytes of attributes, then the value. UEFI specification, 3.3. */
	static const char path[] = "/sys/firmware/efi/efivars/"
				   "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	uint8_t variable[5] = { 0 };
	FILE *file;
	size_t n;
	int err;

	if (access("/sys/firmware/efi", F_OK) && errno == ENOENT)
		return 0;
	file = fopen(path, "re");
	if (!file) {
		err = errno;
		return err == ENOENT && flt_machine_mounted(directory, EFIVARFS_MAGIC) ? 0 : -err;
	}
	n = fread(variable, 1, sizeof(variable), file);
	fclose(file);
	return n == sizeof(variable) ? variable[4] == 1 : -ENODATA;
}

bool flt_machine_mounted(const char *directory, long magic)
{
	struct statfs fs;

	return !statfs(directory, &fs) && (long)fs.f_type == magic;
}

bool flt_machine_capable(unsigned int capability)
{
	uint64_t effective = 0;
	char line[128];
	FILE *file;

	file = fopen("/proc/self/status", "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %" SCNx64, &effective) == 1)
			break;
	fclose(file);
	return effective >> capability & 1;
}

bool flt_machine_initial_user_namespace(void)
{
	unsigned long long inside, outside, count;
	char line[128];

	/* A kernel without user namespaces has only the initial one. */
	if (flt_machine_line("/proc/self/uid_map", line, sizeof(line)))
		return true;
	return sscanf(line, "%llu %llu %llu", &inside, &outside, &count) == 3 && !inside &&
	       !outside && count == UINT32_MAX;
}

static int try_userfaultfd(int flags, uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	long fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | flags);
	int err;

	if (fd < 0)
		return -errno;
	err = ioctl((int)fd, UFFDIO_API, &api) ? -errno : 0;
	close((int)fd);
	return err;
}

int flt_machine_userfaultfd(void)
{
	int err = try_userfaultfd(0, UFFD_FEATURE_EVENT_FORK);

	if (!err)
		return 3;
	if (err == -EPERM && !try_userfaultfd(0, 0))
		return 2;
	if (err == -EPERM && !try_userfaultfd(UFFD_USER_MODE_ONLY, 0))
		return 1;
	return err;
}

bool flt_machine_can_move(void)
{
	return !try_userfaultfd(UFFD_USER_MODE_ONLY, UFFD_FEATURE_MOVE);
}

/* Some kernels accept features that they lack, but no kernel offers them. */
bool flt_machine_can_protect(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	long fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	bool can;

	if (fd < 0)
		return false;
	can = !ioctl((int)fd, UFFDIO_API, &api) && api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP;
	close((int)fd);
	return can;
}
