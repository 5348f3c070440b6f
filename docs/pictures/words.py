# SPDX-License-Identifier: GPL-2.0-or-later
# A program whose garbage collector pays for missing memory; see flame-python.svg.
import json, random, re, sqlite3
random.seed(1)
letters = "etaoinshrdlucmfwypvbgk"
text = " ".join("".join(random.choices(letters, k=random.randint(2, 9))) for _ in range(700000))
index = {}
for n, word in enumerate(re.findall(r"\w+", text)):
    index.setdefault(word, []).append(n)
common = sorted(index.items(), key=lambda item: -len(item[1]))
db = sqlite3.connect(":memory:")
db.execute("create table word (name text primary key, count int, first int)")
db.executemany("insert into word values (?, ?, ?)", ((w, len(p), p[0]) for w, p in common))
rows = db.execute("select count, count(*) from word group by count").fetchall()
print(len(json.dumps(common)), "bytes,", len(rows), "groups")
