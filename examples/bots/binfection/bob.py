#!/usr/bin/env python3
"""bob, a bot for binfection that keeps a plan from turn to turn.

A program starts anew every turn and knows nothing of the last one; what it puts into "blob" comes back with the
next question. bob keeps there which way he marches and for how many turns already. Every cell steps aside into an
empty neighbour if it has one, and otherwise passes half of its units on in the direction of the march, to comrades
who have no more than itself, so that the whole swarm leans on whoever lies there. After some turns, or when a
quarter of the swarm has come to the end of the field, the march turns right.

Started by bob.sh with the name of the file that holds the question and the bot's own name.
"""

import json
import sys

# Up, right, down, left: the numbers 0 to 3 that a move names.
DIRECTIONS = [(0, -1), (1, 0), (0, 1), (-1, 0)]

MARCH = 12  # turns in one direction


def beside(cells, cell, direction):
    """What lies next to a cell, or None where the field ends."""
    dx, dy = DIRECTIONS[direction]
    return cells.get((cell["x"] + dx, cell["y"] + dy))


def choose(cells, cell, march, me):
    """The direction in which a cell moves, or None."""
    # Empty ground first; start looking in the direction of the march.
    for turn in range(4):
        direction = (march + turn) % 4
        neighbour = beside(cells, cell, direction)
        if neighbour is not None and neighbour["owner"] is None:
            return direction
    ahead = beside(cells, cell, march)
    if ahead is None:
        return None  # units that leave the field are lost
    backed = beside(cells, cell, (march + 2) % 4)
    if ahead["owner"] == me:
        return march if ahead["units"] <= cell["units"] else None
    if ahead["units"] < cell["units"] // 2:
        return march
    # An equal or stronger enemy: worth it only while somebody pushes from behind.
    return march if backed is not None and backed["owner"] == me else None


def main():
    path, me = sys.argv[1], sys.argv[2]
    with open(path, encoding="utf-8") as file:
        question = json.load(file)
    cells = {(cell["x"], cell["y"]): cell for cell in question["cells"]}
    own = [cell for cell in cells.values() if cell["owner"] == me]

    # The first blob is {}.
    march = question["blob"].get("march", 1)
    turns = question["blob"].get("turns", 0) + 1
    at_the_end = [cell for cell in own if beside(cells, cell, march) is None]
    if turns > MARCH or 4 * len(at_the_end) > len(own):
        march, turns = (march + 1) % 4, 0

    moves = []
    for cell in own:
        direction = choose(cells, cell, march, me)
        if direction is not None and cell["units"] > 1:
            moves.append({"x": cell["x"], "y": cell["y"], "direction": direction})

    with open(path, "w", encoding="utf-8") as file:
        json.dump({"moves": moves, "blob": {"march": march, "turns": turns}}, file)


if __name__ == "__main__":
    main()
