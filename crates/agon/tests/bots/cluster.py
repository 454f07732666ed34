"""Plays cluster with the first move there is, and misbehaves as its argument says."""

import os
import random
import resource
import sys
import time

mode = sys.argv[1]
memory = []


def numbers():
    line = sys.stdin.readline()
    if not line:
        at_end()
    return [int(word) for word in line.split()]


def block():
    return [numbers() for _ in range(numbers()[0])]


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def at_end():
    if mode == "ignores-end":
        time.sleep(1000)
    elif mode == "fails-at-end":
        sys.exit("no more lines?")
    elif mode == "leaves-child":
        os.system("sleep 1000 < /dev/null > /dev/null 2>&1 &")
    sys.exit(0)


def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def misbehave(turn):
    if mode == "silent":
        time.sleep(1000)
    elif mode == "slow" and turn == 1:
        spin(1000)
    elif mode == "near-limit":
        spin(0.7)
    elif mode == "thinks":
        spin(0.1)
    elif mode == "sleeps":
        time.sleep(4)
    elif mode == "dies" and turn == 1:
        sys.exit("I give up")
    elif mode == "garbage" and turn == 1:
        say("PLACE the red one\n")
    elif mode == "illegal" and turn == 1:
        say("PLACE 99999 0\n")
    elif mode == "hog":
        memory.append(b"x" * (60 << 20))
    elif mode == "out-of-memory" and turn == 1:
        resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
        memory.append(bytes(1 << 30))
    elif mode == "chatty":
        print("thinking", file=sys.stderr, flush=True)


if mode == "early":
    say("hello, I am a bot\n")
    # Whether it wrote before it read is known only while the question is unread.
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
    numbers()
    misbehave(turn)
    column = random.SystemRandom().choice(columns) if mode == "random" else columns[0]
    say(f"PLACE {column[0]} {hand[0][0]}\n")
    if mode == "junk":
        time.sleep(0.005)
        say("that was a good move\n")
        # Once the next question has been read, this would be a bad answer to it.
        time.sleep(1000)
    turn += 1
