"""A bot for NAME: it walks to the coin."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "decide":
        continue
    answers = []
    for decision in message["decisions"]:
        view, legal = decision["view"], decision["legal"]
        right = view["coin_x"] - view["x"][view["you"]]
        down = view["coin_y"] - view["y"][view["you"]]
        answer = "RIGHT" if right > 0 else "LEFT" if right < 0 else "DOWN" if down > 0 else "UP"
        answers.append(answer if answer in legal else legal[0])
    reply = {"type": "answers", "step": message["step"], "answers": answers}
    print(json.dumps(reply), flush=True)
