# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that sort, compress, search and copy files.
# shellcheck shell=bash

if wanted sort2 sort4; then
	for i in 7 3 9 1 5 8 2; do sed "s/^/$i/" lines; done > many	# 180 MB
fi

# Not by a cgroup: a kernel without the multi-generational LRU kills sort and xz there now and then, because
# all resident pages are in use whenever it looks for one to evict.
ENGINES=preload program sort2 32 sort --parallel=2 -S 96M many
ENGINES=preload program sort4 32 sort --parallel=4 -S 96M many
ENGINES=preload program xz1 24 xz -T1 -6 -c some
program xz2 32/48 xz -T2 -6 --block-size=1MiB -c some
program sqlite 40/48 sqlite3 :memory: "create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 1500000)
insert into t select x, x * 7919 % 1000003 from c; create index i on t(b);
select count(*), sum(b), min(b), max(b) from t; select * from t order by b limit 5;"
if wanted git && installed git; then
	git init -q repo
	for i in $(seq 8); do
		cp some "repo/f$i"
		echo "$i" >> "repo/f$i"
		git -C repo add .
		git -C repo -c user.name=t -c user.email=t@t -c gc.auto=0 commit -q -m "commit $i"
	done
fi
NEEDS=git program git 12/16 sh -c 'rm -rf clone; git clone -q --no-hardlinks repo clone && cd clone &&
git log --oneline | wc -l && git fsck --full 2>&1 && git gc -q && git status --short && git diff HEAD~3 --stat | tail -1'
mkdir tree
for i in $(seq 40); do
	mkdir -p "tree/$((i % 5))"
	head -c $((i * 20000)) lines > "tree/$((i % 5))/$i"
done
NEEDS=rsync PARTIAL='its heap is as small as its code' program rsync 1/4 sh -c 'rm -rf copy; rsync -a --checksum tree/ copy/ && rsync -ai --checksum tree/ copy/ &&
cd copy && find . -type f | sort | xargs md5sum'
NEEDS=xz program tar 32/48 sh -c 'tar --sort=name --mtime=@0 -c tree | xz -T2 --block-size=1MiB | md5sum'
rm -f many
