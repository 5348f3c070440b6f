// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/proc/container.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ID_DIGITS 64	/* of the ID of a container, hexadecimal */
#define ID_SHOWN 12	/* as docker ps and podman ps show it */
#define POD_SHOWN 8

/* Names of cgroup directories that have the ID of a container after a prefix. */
static const struct {
	const char *prefix, *runtime;
} runtimes[] = {
	{ "docker-", "docker" },
	{ "libpod-", "podman" },
	{ "cri-containerd-", "containerd" },
	{ "nerdctl-", "containerd" },
	{ "crio-", "cri-o" },
};

/* Return the ID if the word is @prefix, 64 hexadecimal digits, and perhaps ".scope". */
static const char *id_after(const char *word, size_t length, const char *prefix)
{
	size_t skip = strlen(prefix), i;

	if (length < skip + ID_DIGITS || strncmp(word, prefix, skip))
		return NULL;
	for (i = skip; i < skip + ID_DIGITS; i++)
		if (!isxdigit((unsigned char)word[i]))
			return NULL;
	if (length == i || (length == i + 6 && !strncmp(word + i, ".scope", 6)))
		return word + skip;
	return NULL;
}

/* A bare ID is below a directory of the runtime. */
static const char *runtime_of_parent(const char *path, const char *word)
{
	static const struct {
		const char *directory, *runtime;
	} parents[] = {
		{ "/docker/", "docker" }, { "/libpod_parent/", "podman" },
		{ "/kubepods", "kubernetes" }, { "/default/", "containerd" },
		{ "/k8s.io/", "containerd" },
	};
	const char *found;
	size_t i;

	for (i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		found = strstr(path, parents[i].directory);
		if (found && found < word)
			return parents[i].runtime;
	}
	return NULL;
}

static bool write_container(const char *path, const char *word, size_t length,
			    char name[FLT_CONTAINER_NAME])
{
	const char *id = NULL, *runtime = NULL;
	size_t i;

	for (i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]) && !id; i++) {
		id = id_after(word, length, runtimes[i].prefix);
		runtime = runtimes[i].runtime;
	}
	if (!id) {
		id = id_after(word, length, "");
		runtime = id ? runtime_of_parent(path, word) : NULL;
	}
	if (!id || !runtime)
		return false;
	snprintf(name, FLT_CONTAINER_NAME, "%s:%.*s", runtime, ID_SHOWN, id);
	return true;
}

/* Put the pod in front of the name: "podUID", or "kubepods-CLASS-podUID.slice" with '_' in UID. */
static void add_pod(const char *path, char name[FLT_CONTAINER_NAME])
{
	const char *pod = strstr(path, "/kubepods") ? strstr(path, "/pod") : NULL;
	char text[FLT_CONTAINER_NAME];

	if (pod)
		pod += strlen("/pod");
	else if (strstr(path, "/kubepods") && (pod = strstr(path, "-pod")))
		pod += strlen("-pod");
	if (!pod || strspn(pod, "0123456789abcdef_-") < POD_SHOWN)
		return;
	snprintf(text, sizeof(text), "pod:%.*s/%.60s", POD_SHOWN, pod, name);
	memcpy(name, text, sizeof(text));
}

static bool is_unit(const char *word, size_t length)
{
	static const char *const suffixes[] = { ".service", ".scope" };
	size_t i, suffix;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		suffix = strlen(suffixes[i]);
		if (length > suffix && !strncmp(word + length - suffix, suffixes[i], suffix))
			return true;
	}
	return false;
}

bool flt_container_name(const char *path, char name[FLT_CONTAINER_NAME])
{
	const char *end = path + strlen(path), *word;

	/* A container may have cgroups of its own, so look at the parents, too. */
	for (; end > path; end = word - 1) {
		for (word = end; word > path && word[-1] != '/'; word--)
			;
		if (word == path)
			return false;
		if (write_container(path, word, (size_t)(end - word), name)) {
			add_pod(path, name);
			return true;
		}
		if (is_unit(word, (size_t)(end - word))) {
			snprintf(name, FLT_CONTAINER_NAME, "%.*s", (int)(end - word), word);
			return true;
		}
	}
	return false;
}

const char *flt_container_label(const char *path, char name[FLT_CONTAINER_NAME])
{
	if (!path)
		return "(unknown)";
	return flt_container_name(path, name) ? name : path;
}
