"""A bot for rezzo that works for a quarter of each tick of 60 ms, and answers."""

import sys
import time

while len(message := sys.stdin.buffer.read(340)) == 340:
    end = time.process_time() + 0.015
    while time.process_time() < end:
        pass
    sys.stdout.buffer.write(message[1:2] + b"^")
    sys.stdout.buffer.flush()
