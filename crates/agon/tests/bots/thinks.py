"""Answers as `PROTOCOL` wants it (uniform, rezzo, or a file's name for a runner of binfection), always the same, after
it has slept or been busy (`MANNER`) for `MS` milliseconds. As `uniform` it may listen on a socket.

thinks.py PROTOCOL MANNER MS [SOCKET]
"""

import json
import os
import socket
import sys
import time

protocol, manner, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]) / 1000

ANSWERS = {
    "amoebas": {"cmd": "rest"},
    "binfection": {"moves": []},
    "cluster": {"action": "ROTATE", "cycles": 1},
    "cellhack": {"action": "NOTHING"},
    "rezzo": {"action": "NOP"},
}


def think():
    if manner == "sleep":
        time.sleep(seconds)
    end = time.process_time() + seconds
    while manner == "work" and time.process_time() < end:
        pass


def uniform(lines, out):
    answer = ANSWERS[json.loads(next(lines))["game"]]
    for line in lines:
        message = json.loads(line)
        if message["type"] == "end":
            break
        # The first answer has time for a start-up.
        if message["step"] > 0:
            think()
        answers = [answer] * len(message["decisions"])
        print(json.dumps({"step": message["step"], "answers": answers}), file=out, flush=True)


def rezzo():
    while len(message := sys.stdin.buffer.read(340)) == 340:
        think()
        sys.stdout.buffer.write(message[1:2] + b" ")
        sys.stdout.buffer.flush()


if protocol == "rezzo":
    rezzo()
elif protocol != "uniform":
    think()
    with open(protocol, "w") as file:
        json.dump({"moves": [], "blob": {}}, file)
elif len(sys.argv) > 4:
    listener = socket.socket(socket.AF_UNIX)
    # It has its name when it can be connected to.
    listener.bind(sys.argv[4] + ".new")
    listener.listen()
    os.rename(sys.argv[4] + ".new", sys.argv[4])
    stream = listener.accept()[0].makefile("rw")
    uniform(stream, stream)
else:
    uniform(sys.stdin, sys.stdout)
