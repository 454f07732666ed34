"""Plays rezzo badly: it answers with acts that there are not, and soon ends."""

import sys

while True:
    message = sys.stdin.buffer.read(340)
    if len(message) < 340 or message[1] == 12:
        sys.exit("I lost my flag")
    act = b"?" if message[1] in (5, 6) else b"\\"
    sys.stdout.buffer.write(message[1:2] + act)
    sys.stdout.buffer.flush()
