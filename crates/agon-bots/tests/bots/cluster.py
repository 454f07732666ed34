"""Plays cluster with the first move there is, and misbehaves as its first argument says from the turn on that its
second argument names (0: the first). The third is the file for its process group."""

import os
import signal
import sys
import time

mode, bad_turn, group = sys.argv[1], int(sys.argv[2]), sys.argv[3]


if mode == "numbers":
    # Unbuffered, so that what it does not read stays in the pipe.
    sys.stdin = open(0, "rb", buffering=0)


def numbers():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return [int(word) for word in line.split()]


def block():
    return [numbers() for _ in range(numbers()[0])]


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def misbehave():
    if mode == "exit":
        print("no more ideas", file=sys.stderr)
        sys.exit(3)
    elif mode == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "hang":
        time.sleep(1000)
    elif mode == "spin":
        while True:
            pass
    elif mode == "slow":
        time.sleep(0.5)
    elif mode == "flood":
        while True:
            say("x" * 1000)
    elif mode == "chatter":
        sys.stderr.write("I think... " * 100_000)
    elif mode == "close":
        os.close(1)
        time.sleep(1000)
    elif mode == "garbage":
        say("PLACE the red one\n")
    elif mode == "length":
        say("PLACE\n")
    elif mode == "children":
        os.system("sleep 1000 & sleep 1000 &")


if mode == "first":
    say("ROTATE 1\n")
with open(group, "w") as file:
    print(os.getpgid(0), file=file)
if mode == "deaf":
    time.sleep(1000)
for _ in range(4):
    block()
turn = 0
while True:
    numbers()
    columns = block()
    block()
    block()
    hand = block()
    if mode != "numbers":
        numbers()
    if turn == bad_turn:
        misbehave()
    move = f"PLACE {columns[0][0]} {hand[0][0]}\n"
    say(move * 2 if mode == "twice" and turn == bad_turn else move)
    if mode == "numbers":
        numbers()
    turn += 1
