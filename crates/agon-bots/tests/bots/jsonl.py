"""Plays cellhack through the JSON Lines protocol by remembering the step, and misbehaves.

Arguments: how, from or in which step, the file for its process group, and perhaps a Unix socket to listen on. Without
one it talks over standard input and output."""

import json
import os
import resource
import select
import signal
import socket
import sys
import time

mode, bad_step, group = sys.argv[1], int(sys.argv[2]), sys.argv[3]
given, taken = 0, 1
if len(sys.argv) > 4:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[4] + ".new")
    listener.listen()
    os.rename(sys.argv[4] + ".new", sys.argv[4])
    connection, _ = listener.accept()
    given = taken = connection.fileno()
with open(group, "w") as file:
    print(os.getpgid(0), file=file)
waiting = b""


def read():
    """The next message."""
    global waiting
    while b"\n" not in waiting:
        more = os.read(given, 1 << 16)
        if not more:
            return {"type": "closed"}
        waiting += more
    line, waiting = waiting.split(b"\n", 1)
    return json.loads(line)


def write(data):
    data = data if isinstance(data, bytes) else data.encode()
    while data:
        data = data[os.write(taken, data):]


def line(step, answers):
    return json.dumps({"step": step, "answers": answers}) + "\n"


def for_ever(data):
    while True:
        write(data)


def misbehave(step, answers):
    """Writes something instead of the answer."""
    good = line(step, answers)
    if mode == "silent":
        pass
    elif mode == "sleep":
        time.sleep(1.3)
        write(good)
    elif mode == "spin":
        while True:
            pass
    elif mode == "loud":
        while True:
            write("x\n")
            time.sleep(0.01)
    elif mode == "late":
        write(line(step - 1, answers) + line(0, []) + good)
    elif mode == "twice":
        write(good + good)
    elif mode == "early":
        write(line(step + 1, answers))
    elif mode == "ahead":
        write(good + line(step + 1, answers))
    elif mode == "garbage":
        print("what was the form again?", file=sys.stderr, flush=True)
        write("MOVE UP\n")
    elif mode == "chatter":
        write("thinking...\nstill thinking...\nthere it is:\n" + good)
    elif mode == "too few":
        write(line(step, answers[1:]))
    elif mode == "too many":
        write(line(step, answers + answers[:1]))
    elif mode == "no step":
        write(json.dumps({"answers": answers}) + "\n")
    elif mode == "strange step":
        write(line(str(step), answers))
    elif mode == "an element":
        write(line(step, [answers[0], {"action": "EAT"}] + answers[2:]))
    elif mode == "all elements":
        write(line(step, [None for _ in answers]))
    elif mode == "nested":
        write('{"step": %d, "answers": %s}\n' % (step, "[" * 20_000 + "]" * 20_000))
    elif mode == "nested element":
        deep = "[" * 10_000 + "]" * 10_000
        write('{"step": %d, "answers": [%s]}\n' % (step, ",".join(deep for _ in answers)))
    elif mode == "not closed":
        write('{"step": %d, "answers": %s\n' % (step, "[" * 20_000))
    elif mode == "keys twice":
        write('{"step": 0, ' + good[1:])
    elif mode == "no text":
        write(good.encode().replace(b"NOTHING", b"NOTH\xff\xfe\0NG"))
    elif mode == "windows":
        write(good.replace("\n", "\r\n"))
    elif mode == "blank lines":
        write("\n \r\n\t\n" + good + "\n\n")
    elif mode == "bytes":
        for byte in good.encode():
            write(bytes([byte]))
            time.sleep(0.0005)
    elif mode == "spaced":
        write(" " * 30_000 + good[:-1] + " " * 30_000 + "\n")
    elif mode == "huge":
        write('{"x": "' + "x" * 1_000_000 + '", ' + good[1:])
    elif mode == "flood":
        for_ever("x" * 1000)
    elif mode == "flood of lines":
        for_ever("x\n" * 500)
    elif mode == "flood of late answers":
        for_ever(line(0, answers) * 20)
    elif mode == "flood of blanks":
        for_ever("\n" * 1000)
    elif mode == "exit":
        print("no more ideas", file=sys.stderr, flush=True)
        os._exit(3)
    elif mode == "signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "memory":
        resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
        hoard = []
        while True:
            hoard.append(bytearray(10 << 20))
    elif mode == "close":
        if given == taken:
            connection.shutdown(socket.SHUT_RDWR)
        os.close(taken)
        time.sleep(1000)
    elif mode == "close input":
        if given == taken:
            connection.shutdown(socket.SHUT_RD)
        else:
            os.close(given)
        write(good)
        time.sleep(1000)
    elif mode == "children":
        os.system("sleep 1000 & sleep 1000 &")
        write(good)
    elif mode == "deaf":
        time.sleep(1000)
    else:
        sys.exit(f"there is no misbehaviour {mode}")


if mode == "banner":
    write("Bot 1.0, ready\n")
elif mode == "unsolicited":
    write(line(0, []))
    # The arena is to see that nothing has been read.
    time.sleep(1)
elif mode == "exit at once":
    sys.exit(3)
elif mode == "close at once":
    mode = "close"
    misbehave(0, [])

# These are no misbehaviour in a step.
PLAYS_ON = ("good", "banner", "unsolicited", "blind", "stays", "told")
last = None
while True:
    if mode == "blind" and last is not None and last["step"] + 1 == bad_step:
        # Answers the question while it is still in the pipe.
        select.select([given], [], [])
        write(line(bad_step, [{"action": "NOTHING", "memory": bad_step + 1} for _ in answers]))
        time.sleep(1)
        last = read()
        continue
    message = read()
    if message["type"] == "decide":
        last, step = message, message["step"]
        answers = [{"action": "NOTHING", "memory": step + 1} for _ in message["decisions"]]
        if mode == "mute" and step >= bad_step:
            pass
        elif step == bad_step and mode not in PLAYS_ON:
            misbehave(step, answers)
        else:
            write(line(step, answers))
    elif message["type"] == "end":
        if mode == "told":
            with open(group + ".end", "w") as file:
                json.dump(message, file)
        if mode == "stays":
            time.sleep(1000)
    elif message["type"] == "closed":
        break
