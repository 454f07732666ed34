"""Runs a program and does what a person would do.

    drive.py keys "1 RIGHT RETURN" REPLAY PROGRAM...    types these keys until the replay is whole
    drive.py stop FILE LINES PROGRAM...                 presses Ctrl-C once a file has so many lines
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

KEYS = {"RETURN": "\r", "SPACE": " ", "UP": "\033[A", "DOWN": "\033[B", "RIGHT": "\033[C"}


def is_whole(replay):
    """Whether a replay has its end."""
    return os.path.exists(replay) and open(replay, "rb").read().endswith(b"AGON-END")


def keys(words, replay, program):
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(program[0], program)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    typed, again, left = words.split(), time.monotonic() + 1, time.monotonic() + 120
    while time.monotonic() < left:
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                if not os.read(terminal, 1 << 16):
                    break
            except OSError:
                break
        if time.monotonic() >= again:
            again = time.monotonic() + 0.05
            if is_whole(replay):
                os.write(terminal, b"q")
            elif typed:
                os.write(terminal, KEYS.get(typed[0], typed[0]).encode())
                typed.append(typed.pop(0))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def stop(file, lines, program):
    with subprocess.Popen(program) as child:
        while child.poll() is None:
            if os.path.exists(file) and open(file, "rb").read().count(b"\n") >= lines:
                child.send_signal(signal.SIGINT)
                break
            time.sleep(0.002)
    return child.returncode


if sys.argv[1] == "keys":
    sys.exit(keys(sys.argv[2], sys.argv[3], sys.argv[4:]))
sys.exit(stop(sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
