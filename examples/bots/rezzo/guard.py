#!/usr/bin/env python3
"""A rezzo bot in Python: wanders, leaves a bit of wire now and then, and hits flags and any wire at its own geysers.

Play: agon play rezzo "python3 guard.py" "python3 guard.py"

The arena writes 340 bytes a tick to stdin: ack, ts, 169 cells as characters, 169 damage values. The cells are the
13x13 ahead of the agent, the farthest row first; the agent stands in the middle of the last row. The bot answers with
two bytes: the same ts and an action. Use the binary streams, and flush.
"""
import random
import sys

SIDE = 13
NOP, ADVANCE, LEFT, RIGHT, BUILD, HIT = b" ", b"^", b"\\", b"/", b".", b"!"
WIRE = ".*,~"

# The same match again plays the same game; another number as argument makes another player.
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)


def near_own_geyser(seen, me):
    """Whether the cell ahead touches one of the agent's own geysers."""
    geyser = chr(ord("a") + me)
    around = [(f, r) for f in (0, 1, 2) for r in (-1, 0, 1)]
    return any(seen(f, r) == geyser for f, r in around)


def decide(cells):
    def seen(ahead, right):
        return cells[(SIDE - 1 - ahead) * SIDE + SIDE // 2 + right]

    me = int(seen(0, 0))
    ahead = seen(1, 0)
    if ahead in WIRE and near_own_geyser(seen, me):
        return HIT
    if ahead in "ABCDEFGHIJ":
        return HIT
    if ahead == " ":
        return random.choice([ADVANCE] * 8 + [BUILD] + [LEFT, RIGHT])
    return random.choice([LEFT, RIGHT])


def main():
    while True:
        message = sys.stdin.buffer.read(2 + 2 * SIDE * SIDE)
        if len(message) < 2 + 2 * SIDE * SIDE:
            return
        ts = message[1:2]
        cells = message[2 : 2 + SIDE * SIDE].decode("ascii")
        sys.stdout.buffer.write(ts + decide(cells))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
