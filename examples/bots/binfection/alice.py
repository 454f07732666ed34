#!/usr/bin/env python3
"""alice, a bot for binfection that looks at one cell at a time.

Every cell takes the strongest neighbour it can beat, else an empty one, else stays. Started by alice.sh with
the name of the file that holds the question and the bot's own name; the reply overwrites the file. By hand:

    echo '{"cells": [{"owner": "alice", "units": 8, "x": 0, "y": 0},
                     {"owner": null, "units": 0, "x": 1, "y": 0}], "blob": {}}' > turn.json
    ./alice.sh turn.json && cat turn.json
"""

import json
import sys

# Up, right, down, left: the numbers 0 to 3 that a move names.
DIRECTIONS = [(0, -1), (1, 0), (0, 1), (-1, 0)]


def best_direction(cells, cell, me):
    """The direction with the most to gain, or None."""
    best, best_gain = None, 0
    for direction, (dx, dy) in enumerate(DIRECTIONS):
        neighbour = cells.get((cell["x"] + dx, cell["y"] + dy))
        if neighbour is None or neighbour["owner"] == me:
            continue  # the field ends here, or it is already ours
        if neighbour["units"] >= cell["units"] // 2:
            continue  # the half that goes would not win
        gain = 1 + neighbour["units"]
        if gain > best_gain:
            best, best_gain = direction, gain
    return best


def main():
    path, me = sys.argv[1], sys.argv[2]
    with open(path, encoding="utf-8") as file:
        question = json.load(file)

    cells = {(cell["x"], cell["y"]): cell for cell in question["cells"]}
    moves = []
    for cell in cells.values():
        if cell["owner"] == me:
            direction = best_direction(cells, cell, me)
            if direction is not None:
                moves.append({"x": cell["x"], "y": cell["y"], "direction": direction})

    with open(path, "w", encoding="utf-8") as file:
        json.dump({"moves": moves, "blob": {}}, file)


if __name__ == "__main__":
    main()
