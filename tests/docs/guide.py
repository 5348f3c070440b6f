#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""guide.py check|write FILE [TEXT]... - run the commands of a guide.

FILE is Markdown. Each heading "## " begins a question, which has a shell and a directory of its
own. The directory is on /guide if that is mounted.

  ```LANGUAGE NAME     the block is the content of file NAME
  ```console           lines "$ COMMAND" are run; the lines below are the output
  <!-- run: COMMAND    COMMAND is run and not shown; the comment may have several lines
  ![...](DIR/NAME.svg) a command must have written NAME.svg

check compares the output with the document: numbers, spaces and bars may differ, except line
numbers of files in the document. write prints
the document with the new output, and the pictures in base64, for tests/docs/regenerate. With
TEXT, only questions whose heading contains TEXT are run.
"""
import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

MARK = "\x01"
FENCE = "```"
# Progress lines appear if a command takes long.
PROGRESS = re.compile(r"fltctl [a-z]+: [0-9.]+ s: ")


def spell(match):
    """Return FILE:LINE with a line number that normal() does not replace."""
    return match[1] + " line " + "".join("abcdefghij"[int(digit)] for digit in match[2])


def normal(line, files=()):
    """Return the line with numbers, units, dashes, bars and spaces made equal.

    Line numbers of the files stay."""
    if files:
        line = re.sub("(?<!\\S)(\\(?(?:" + "|".join(map(re.escape, files)) + ")):([0-9]+)", spell, line)
    line = re.sub(r"\b[0-9a-f]{12,64}\b", "N", line)
    line = re.sub(r"\b0x[0-9a-f]+\b", "N", line)
    line = re.sub(r"\s+", " ", re.sub(r"[█-▏▁-█#*]+", " ", line))
    line = re.sub(r"[-+]?[0-9][0-9.,:]*\s?([kKMGT]?i?B|[num]?s|µs|min|[KMGT])?(?![A-Za-z])", "N", line)
    line = re.sub(r"(?<!\S)-(?!\S)", "N", line)
    return re.sub(r"(?<=N)( N)+", "", re.sub(r"\s+", " ", line).strip())


class Question:
    """Lines of one heading."""

    def __init__(self, lines):
        self.lines = lines
        self.title = lines[0][3:] if lines and lines[0].startswith("## ") else ""

    def steps(self):
        """Yield (first line, end line, kind, text): kind is file:NAME, hidden or command."""
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            if line.startswith("<!-- run: "):
                end = at
                while "-->" not in self.lines[end]:
                    end += 1
                text = "\n".join(self.lines[at:end + 1])
                yield at, end + 1, "hidden", text[len("<!-- run: "):text.index("-->")]
                at = end
            elif line.startswith(FENCE) and line != FENCE:
                words = line[len(FENCE):].split()
                end = self.lines.index(FENCE, at + 1)
                if words[0] == "console":
                    yield from self.commands(at + 1, end)
                elif len(words) == 2:
                    yield at, end, "file:" + words[1], "\n".join(self.lines[at + 1:end]) + "\n"
                at = end
            at += 1

    def commands(self, at, end):
        while at < end:
            if not self.lines[at].startswith("$ "):
                sys.exit(f"line without a command: {self.lines[at]}")
            command = self.lines[at][2:]
            begin = at + 1
            while command.endswith("\\"):
                command += "\n" + self.lines[begin]
                begin += 1
            stop = begin
            while stop < end and not self.lines[stop].startswith("$ "):
                stop += 1
            yield begin, stop, "command", command
            at = stop

    def pictures(self):
        for line in self.lines:
            yield from re.findall(r"!\[[^]]*\]\(([^)]*\.svg)\)", line)


def execute(steps, directory):
    """Run the steps in one shell. Return the output and the status of each step."""
    script = "exec 2>&1\nshopt -s expand_aliases\n"
    for at, (_, _, kind, text) in enumerate(steps):
        if kind.startswith("file:"):
            with open(os.path.join(directory, kind[5:]), "w", encoding="utf-8") as file:
                file.write(text)
            script += "true\n"
        else:
            script += text + "\n"
        script += f"printf '{MARK}{at} %d\\n' $?\n"
    script += "kill $(jobs -p) 2>/dev/null\nexit 0\n"
    path = os.path.join(directory, ".script")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    done = subprocess.run(["bash", path], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=False)
    output = done.stdout.decode("utf-8", "replace").replace(directory + "/", "")
    results = []
    for part in re.split(f"{MARK}[0-9]+ ", output):
        if results:
            status, _, part = part.partition("\n")
            results[-1][1] = int(status)
        results.append([part, None])
    return results[:-1], results[-1][0]


def run(question, write):
    """Run a question. Return the number of differences."""
    base = "/guide" if os.path.ismount("/guide") else None
    directory = tempfile.mkdtemp(dir=base)
    steps = list(question.steps())
    files = [kind[5:] for _, _, kind, _ in steps if kind.startswith("file:")]
    begin = time.monotonic()
    results, rest = execute(steps, directory)
    wrong = 0
    new = list(question.lines)
    if len(results) != len(steps):
        print(f"BAD: {question.title}: the shell ended: {rest}")
        return 1
    for (start, end, kind, text), (output, status) in reversed(list(zip(steps, results))):
        if status:
            wrong += 1
            print(f"BAD: {question.title}: status {status}: {text}\n{output}")
        if kind != "command":
            continue
        got = output.rstrip("\n").split("\n") if output.strip() else []
        got = [line.rstrip() for line in got if not PROGRESS.match(line)]
        new[start:end] = got
        want = question.lines[start:end]
        if not write and [normal(line, files) for line in got] != \
                [normal(line, files) for line in want]:
            wrong += 1
            print("\n".join([f"BAD: {question.title}: {text}", "expected:", *want, "got:", *got]))
    for picture in question.pictures():
        path = os.path.join(directory, os.path.basename(picture))
        try:
            if not xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg"):
                raise ValueError("not a picture")
        except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
            wrong += 1
            print(f"BAD: {question.title}: {picture}: {error}")
            continue
        if write:
            with open(path, "rb") as file:
                print(f"~picture {picture} {base64.b64encode(file.read()).decode()}")
    print(f"{'BAD' if wrong else 'ok'} {len(steps)} steps, {time.monotonic() - begin:.0f} s: "
          f"{question.title}", flush=True)
    if write:
        question.lines = new
    shutil.rmtree(directory, ignore_errors=True)
    return wrong


def main():
    mode, path, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(path, encoding="utf-8") as file:
        lines = file.read().rstrip("\n").split("\n")
    heads = [at for at, line in enumerate(lines) if line.startswith("## ")] + [len(lines)]
    parts = [Question(lines[:heads[0]])]
    parts += [Question(lines[a:b]) for a, b in zip(heads, heads[1:])]
    wrong = ran = 0
    for part in parts:
        if any(True for _ in part.steps()) and \
                (not wanted or any(text in part.title for text in wanted)):
            wrong += run(part, mode == "write")
            ran += 1
    if mode == "write":
        for part in parts:
            for line in part.lines:
                print("~document " + line)
    print(f"{ran} questions, {wrong} differences")
    return 1 if wrong or not ran else 0


sys.exit(main())
