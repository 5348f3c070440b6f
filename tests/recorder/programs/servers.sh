# SPDX-License-Identifier: GPL-2.0-or-later
# Servers with several processes, and their clients.
# shellcheck shell=bash disable=SC2154

mkdir site
for i in $(seq 20); do head -c $((i * 30000)) lines > "site/$i"; done
program nginx 8 bash "$here/nginx.sh" "$work/site"

# The server refuses to run as root, so keep only the capabilities that the recorder needs.
postgres=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2> /dev/null | tail -1)
if [ -z "$postgres" ]; then
	echo "ok postgres # skip: no server"
	missing=$((missing + 1))
elif [ "$(id -u)" != 0 ]; then
	ENGINES=preload program postgres 4 bash "$here/postgres.sh" "$work" "$postgres"
elif id postgres > /dev/null 2>&1; then
	mkdir database
	chmod 711 .
	cp "$here/postgres.sh" database/postgres.sh
	chmod -R a+r database
	chown postgres database
	caps=+sys_ptrace,+perfmon,+bpf
	program postgres 4/64 setpriv --reuid=postgres --regid=postgres --clear-groups \
		--inh-caps=$caps --ambient-caps=$caps \
		bash "$work/database/postgres.sh" "$work/database" "$postgres"
fi
