"""Plays every game through the JSON Lines protocol, well-behaved and without a plan."""

import json
import random
import sys

start = json.loads(sys.stdin.readline())
game, me = start["game"], start["player"]
dice = random.Random(start["seed"])


def amoeba(seen):
    command = dice.choice(["rest", "rest", "move", "hit", "divide"])
    reply = {"cmd": command, "data": f"round {seen['energy']}"}
    return reply if command == "rest" else reply | {"dir": dice.randrange(8)}


def field(seen):
    own = [cell for cell in seen["cells"] if cell["owner"] == me]
    return {"moves": [{"x": cell["x"], "y": cell["y"], "direction": dice.randrange(4)} for cell in own]}


def cell(seen):
    return {"action": dice.choice(["MOVE_UP", "SPLIT_LEFT", "NOTHING"]), "memory": seen["memory"] + 1}


def pellet(seen):
    if not seen["columns"] or not seen["hand"]:
        return {"action": "ROTATE", "cycles": 1}
    return {"action": "PLACE", "column": dice.choice(seen["columns"])["column"], "color": seen["hand"][0]}


def agent(seen):
    return {"action": dice.choice(["ADVANCE", "TURN_LEFT", "TURN_RIGHT"])}


decide = {"amoebas": amoeba, "binfection": field, "cellhack": cell, "cluster": pellet, "rezzo": agent}[game]
for text in sys.stdin:
    message = json.loads(text)
    if message["type"] == "end":
        break
    answers = [decide(seen) for seen in message["decisions"]]
    print(json.dumps({"step": message["step"], "answers": answers}), flush=True)
