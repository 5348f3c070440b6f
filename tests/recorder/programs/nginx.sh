#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# nginx.sh DIR - serve the files of DIR with two workers, fetch them with four clients, compress them
# on the way, and print their checksums.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/logs"
cat > "$dir/nginx.conf" << END
worker_processes 2;
pid $dir/pid;
error_log $dir/logs/error;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path $dir; proxy_temp_path $dir; fastcgi_temp_path $dir;
	uwsgi_temp_path $dir; scgi_temp_path $dir;
	gzip on; gzip_types *; gzip_comp_level 6;
	server { listen unix:$dir/socket; root $1; default_type text/plain; }
}
END
chmod 755 "$dir"
nginx -p "$dir" -c "$dir/nginx.conf"
# shellcheck disable=SC2016 # for the inner shell
seq 20 | xargs -P4 -I{} sh -c 'curl -sS --compressed --unix-socket "$0/socket" "http://x/{}" > "$0/out.{}"' "$dir"
nginx -p "$dir" -c "$dir/nginx.conf" -s quit
while [ -e "$dir/pid" ]; do sleep 0.05; done
for i in $(seq 20); do md5sum < "$dir/out.$i"; done
