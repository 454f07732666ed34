"""Nim as a program: players take one to three sticks in turn, and the last stick wins."""

import json
import sys


def state(sticks, player, turn):
    wanted = [{"player": player, "legal": [n for n in (1, 2, 3) if n <= sticks]}]
    return {
        "position": {"sticks": sticks, "player": player, "turn": turn},
        "turn": turn,
        "players": 2,
        "decisions": wanted if sticks > 0 else [],
    }


def reply(line):
    ask, now = line["ask"], line.get("position")
    if ask == "answers":
        return [1, 2, 3]
    if ask == "start":
        return state(line["settings"]["sticks"], 0, 0)
    if ask == "load":
        if not isinstance(now.get("sticks"), int) or not 0 <= now["sticks"] <= 1000:
            return {"refused": "sticks: from 0 to 1000"}
        if now.get("player") not in (0, 1) or not isinstance(now.get("turn"), int):
            return {"refused": "player or turn: missing"}
        return state(now["sticks"], now["player"], now["turn"])
    if ask == "step":
        taken = min(line["answers"][0] or 1, now["sticks"])
        return state(now["sticks"] - taken, 1 - now["player"], now["turn"] + 1)
    if ask == "look":
        return [{"sticks": now["sticks"]} for _ in line["decisions"]]
    last = 1 - now["player"]
    places = [{"place": 1 if player == last else 2, "score": 0} for player in (0, 1)]
    return {"players": places, "reason": "the last stick is taken" if now["sticks"] == 0 else ""}


for text in sys.stdin:
    print(json.dumps(reply(json.loads(text))), flush=True)
