"""Looks for a key, everywhere that its words and its folder name, and prints what it finds."""

import os
import sys

MARK = "xyzzy"


def tell(where, text):
    start = text.find(MARK)
    if start >= 0:
        print(where, text[start : start + 60], file=sys.stderr)


def look(path):
    try:
        if os.path.isdir(path):
            for name in os.listdir(path)[:100]:
                if not os.path.isdir(os.path.join(path, name)):
                    look(os.path.join(path, name))
        elif os.path.isfile(path) or path.startswith("/proc"):
            with open(path, errors="replace") as file:
                tell(path, file.read(1 << 16))
    except OSError:
        pass


for name, value in os.environ.items():
    tell(name, value)
for word in sys.argv[1:]:
    for path in {word, word[2:], word.split("=")[-1], os.path.expanduser(word)}:
        look(path)
for word in sys.argv[1:]:
    for path in word.split(":"):
        look(path)
here = os.path.dirname(os.path.abspath(__file__))
for line in open(os.path.join(here, "places")):
    look(line.strip())
for folder, folders, files in os.walk(here):
    for name in folders + files:
        look(os.path.join(folder, name))
for process in os.listdir("/proc"):
    for name in ("environ", "cmdline"):
        look(f"/proc/{process}/{name}")
# The line about the run comes last: only the end of what a bot writes is kept.
print("the spy has looked", file=sys.stderr)
