"""Plays rezzo by turning left, and misbehaves as its first argument says from the tick on that its second argument
names (0: the first). The third is the file for its process group."""

import os
import signal
import sys
import time

mode, bad_tick, group = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(group, "w") as file:
    print(os.getpgid(0), file=file)


def misbehave(ts):
    if mode == "exit":
        print("lost my flag", file=sys.stderr)
        sys.stderr.flush()
        os._exit(3)
    elif mode == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "hang":
        time.sleep(1000)
    elif mode == "spin":
        while True:
            pass
    elif mode == "skip":
        return b""
    elif mode == "flood":
        while True:
            os.write(1, b"\xff!" * 500)
    elif mode == "chatter":
        sys.stderr.write("I think... " * 100_000)
    elif mode == "close":
        os.close(1)
        time.sleep(1000)
    elif mode == "close-input":
        os.close(0)
        os.write(1, bytes([ts]) + b"\\")
        time.sleep(1000)
    elif mode == "garbage":
        return bytes([ts]) + b"?"
    elif mode in ("twice", "length"):
        return bytes([ts]) + b"!" + bytes([ts]) + b"."
    elif mode == "late":
        return bytes([(ts - 1) % 256]) + b"!"
    elif mode == "children":
        os.system("sleep 1000 & sleep 1000 &")
    return None


tick = 0
while True:
    message = sys.stdin.buffer.read(340)
    if len(message) < 340:
        break
    answer = misbehave(message[1]) if tick == bad_tick else None
    os.write(1, bytes([message[1]]) + b"\\" if answer is None else answer)
    tick += 1
