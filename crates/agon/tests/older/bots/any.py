"""Plays every game through JSON Lines: with random moves, and badly if it is told to.

Arguments: how (`good`, `wrong`, `leaves`, `slow`), and perhaps a Unix socket to listen on."""

import json
import random
import socket
import sys
import time

DIRECTIONS = ["UP", "LEFT", "RIGHT", "DOWN"]


def amoeba(seen, start, dice):
    command = dice.choice(["rest", "rest", "move", "hit", "divide"])
    reply = {"cmd": command, "data": f"energy {seen['energy']}"}
    return reply if command == "rest" else reply | {"dir": dice.randrange(8)}


def field(seen, start, dice):
    own = [cell for cell in seen["cells"] if cell["owner"] == start["player"]]
    return {"moves": [{"x": c["x"], "y": c["y"], "direction": dice.randrange(4)} for c in own]}


def cell(seen, start, dice):
    action = dice.choice(["MOVE_", "SPLIT_", "EAT_"]) + dice.choice(DIRECTIONS)
    return {"action": action, "memory": seen["memory"] + 1}


def pellet(seen, start, dice):
    if not seen["columns"]:
        return {"action": "ROTATE", "cycles": dice.randint(1, 5)}
    column = dice.choice(seen["columns"])["column"]
    return {"action": "PLACE", "column": column, "color": dice.choice(seen["hand"])}


def agent(seen, start, dice):
    return {"action": dice.choice(["ADVANCE", "BUILD", "HIT", "TURN_LEFT", "TURN_RIGHT"])}


DECIDE = {
    "amoebas": amoeba,
    "binfection": field,
    "cellhack": cell,
    "cluster": pellet,
    "rezzo": agent,
}


def play(how, given, taken):
    """Plays one match."""
    start = json.loads(given.readline())
    dice = random.Random(start["seed"])
    decide = DECIDE[start["game"]]
    questions = 0
    for line in given:
        message = json.loads(line)
        if message["type"] == "end":
            return
        questions += 1
        answers = [decide(seen, start, dice) for seen in message["decisions"]]
        if how == "slow":
            time.sleep(0.3)
        elif how == "wrong" and questions == 3:
            print("no idea for step", message["step"], file=sys.stderr, flush=True)
            answers = [None for _ in answers]
        elif how == "leaves" and questions == 3:
            print("no more ideas", file=sys.stderr, flush=True)
            sys.exit(3)
        print(json.dumps({"step": message["step"], "answers": answers}), file=taken, flush=True)


if len(sys.argv) < 3:
    play(sys.argv[1], sys.stdin, sys.stdout)
else:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[2])
        listener.listen()
        while True:
            connection = listener.accept()[0]
            with connection, connection.makefile("r") as given, connection.makefile("w") as taken:
                try:
                    play(sys.argv[1], given, taken)
                except SystemExit:
                    pass
