# SPDX-License-Identifier: GPL-2.0-or-later
# Servers with several processes, and their clients.
# shellcheck shell=bash disable=SC2154

mkdir site
for i in $(seq 20); do head -c $((i * 30000)) lines > "site/$i"; done
NEEDS='nginx curl' PARTIAL='its heap is smaller than its code' program nginx 256K/6 bash "$here/nginx.sh" "$work/site"

# The server refuses to run as root, so keep only the capabilities that the recorder needs.
if [ "$(id -u)" != 0 ]; then
	NEEDS=postgres ENGINES=preload PARTIAL='most of its memory is shared' program postgres 2 bash "$here/postgres.sh" "$work" "$(postgres_bin)"
elif present postgres postgres; then
	mkdir database
	chmod 711 .
	cp "$here/postgres.sh" database/postgres.sh
	chmod -R a+r database
	chown postgres database
	caps=+sys_ptrace,+perfmon,+bpf
	NEEDS=postgres PARTIAL='most of its memory is shared' program postgres 2/48 setpriv --reuid=postgres --regid=postgres --clear-groups \
		--inh-caps=$caps --ambient-caps=$caps \
		bash "$work/database/postgres.sh" "$work/database" "$(postgres_bin)"
fi
