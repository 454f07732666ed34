"""Tells what is wrong with a reply, if anything."""


def problem(start, seen, reply):
    if reply["action"] == "ROTATE":
        return None if 1 <= reply["cycles"] <= 5 else "1 to 5 cycles"
    if reply["action"] != "PLACE":
        return "no such action"
    if reply["color"] not in seen["hand"]:
        return "the color is not in hand"
    if reply["column"] not in [column["column"] for column in seen["columns"]]:
        return "the column takes no pellet"
    return None
