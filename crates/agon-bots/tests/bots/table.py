"""Plays any game through the JSON Lines protocol without a plan, and misbehaves from its sixth question on as its first
argument says. A second argument is a Unix socket to listen on; without one it talks over standard input and output."""

import json
import os
import socket
import sys
import time

mode = sys.argv[1]
given, taken = sys.stdin.buffer, sys.stdout.buffer
if len(sys.argv) > 2:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[2] + ".new")
    listener.listen()
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    connection, _ = listener.accept()
    given, taken = connection.makefile("rb"), connection.makefile("wb")
if mode == "start":
    sys.exit(3)


def say(data):
    taken.write(data)
    taken.flush()


REPLIES = {
    "amoebas": {"cmd": "rest"},
    "binfection": {"moves": []},
    "cellhack": {"action": "REST"},
    "cluster": {"action": "ROTATE", "cycles": 1},
    "rezzo": {"action": "TURN_LEFT"},
}
reply = REPLIES[json.loads(given.readline())["game"]]
for asked, line in enumerate(given):
    message = json.loads(line)
    if message["type"] == "end":
        break
    answers = [reply for _ in message["decisions"]]
    if asked < 5:
        pass
    elif mode == "step 5":
        sys.exit(3)
    elif mode == "endless":
        while True:
            pass
    elif mode == "silent":
        time.sleep(1000)
    elif mode == "flood":
        while True:
            say(b"x" * 1000)
    elif mode == "garbage":
        say(b"turn left\n")
        continue
    elif mode == "length":
        answers.append(reply)
    say(json.dumps({"step": message["step"], "answers": answers}).encode() + b"\n")
