"""A bot for `GAME` (cluster or rezzo) that waits in its second turn until somebody lets it go on.

It makes the file FOLDER/asked, and goes on when there is FOLDER/go.
"""

import os
import sys
import time

game, folder = sys.argv[1:]


def wait():
    open(f"{folder}/asked", "w").close()
    while os.path.isdir(folder) and not os.path.exists(f"{folder}/go"):
        time.sleep(0.01)


def block():
    return [sys.stdin.readline().split() for _ in range(int(sys.stdin.readline() or sys.exit()))]


def cluster():
    for _ in range(4):
        block()
    turn = 0
    while sys.stdin.readline():
        columns, _, _, hand = block(), block(), block(), block()
        sys.stdin.readline()
        if turn == 1:
            wait()
        print("PLACE", columns[0][0], hand[0][0], flush=True)
        turn += 1


def rezzo():
    tick = 0
    while len(message := sys.stdin.buffer.read(340)) == 340:
        if tick == 1:
            wait()
        sys.stdout.buffer.write(message[1:2] + b"^")
        sys.stdout.buffer.flush()
        tick += 1


{"cluster": cluster, "rezzo": rezzo}[game]()
