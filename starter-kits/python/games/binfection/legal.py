"""Tells what is wrong with a reply, if anything."""

WAYS = [(0, -1), (1, 0), (0, 1), (-1, 0)]


def problem(start, seen, reply):
    own = {(cell["x"], cell["y"]) for cell in seen["cells"] if cell["owner"] == start["player"]}
    for move in reply["moves"]:
        if move["direction"] not in range(4):
            return "directions are 0 to 3"
        if (move["x"], move["y"]) not in own:
            return "that is no own cell, or moved twice"
        own.remove((move["x"], move["y"]))
        x, y = move["x"] + WAYS[move["direction"]][0], move["y"] + WAYS[move["direction"]][1]
        if not (0 <= x < start["rules"]["field_width"] and 0 <= y < start["rules"]["field_height"]):
            return "that leads off the field"
    return None
