"""Cluster: lets a pellet of the smaller color in hand fall into the column with the number of the turn."""

import json
import sys

for line in sys.stdin:
    question = json.loads(line)
    if question["type"] == "decide":
        seen = question["decisions"][0]
        column = seen["columns"][question["turn"] % len(seen["columns"])]["column"]
        answer = {"action": "PLACE", "column": column, "color": seen["hand"][0]}
        print(json.dumps({"step": question["step"], "answers": [answer]}), flush=True)
