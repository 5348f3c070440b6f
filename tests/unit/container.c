// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of containers and services, from the cgroup paths that their runtimes make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "source/proc/container.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "8dbc5577-d0e2-4706-8787-57d52c03ddf2"
#define POD_ "8dbc5577_d0e2_4706_8787_57d52c03ddf2"

static void paths_have_names(void **state)
{
	static const struct {
		const char *path, *name;
	} cases[] = {
		{ "/system.slice/docker-" ID ".scope", "docker:0123456789ab" },
		{ "/docker/" ID, "docker:0123456789ab" },
		{ "/machine.slice/libpod-" ID ".scope/container", "podman:0123456789ab" },
		{ "/libpod_parent/libpod-" ID, "podman:0123456789ab" },
		{ "/libpod_parent/" ID, "podman:0123456789ab" },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID
		  ".scope/container", "podman:0123456789ab" },
		{ "/default/" ID, "containerd:0123456789ab" },
		{ "/k8s.io/" ID, "containerd:0123456789ab" },
		{ "/system.slice/nerdctl-" ID ".scope", "containerd:0123456789ab" },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
		  ".slice/cri-containerd-" ID ".scope", "pod:8dbc5577/containerd:0123456789ab" },
		{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope",
		  "pod:8dbc5577/cri-o:0123456789ab" },
		{ "/kubepods/besteffort/pod" POD "/" ID, "pod:8dbc5577/kubernetes:0123456789ab" },
		{ "/system.slice/ssh.service", "ssh.service" },
		{ "/user.slice/user-1000.slice/session-3.scope", "session-3.scope" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-foo.scope",
		  "app-foo.scope" },
		{ "/system.slice/postgresql.service/worker", "postgresql.service" },
	};
	char name[FLT_CONTAINER_NAME];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(flt_container_name(cases[i].path, name));
		assert_string_equal(name, cases[i].name);
	}
}

static void other_paths_have_none(void **state)
{
	static const char *const paths[] = {
		"/", "", "/system.slice", "/build", "/" ID, "/docker/0123456789ab",
		"/docker-0123456789abcdef.scope-", "/libpod_parent/conmon", "/docker",
		"/machine.slice/libpod-" ID "x",
	};
	char name[FLT_CONTAINER_NAME];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_false(flt_container_name(paths[i], name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_have_names),
		cmocka_unit_test(other_paths_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
