"""Tells what is wrong with a reply, if anything."""

NEEDS = {"move": "move_energy", "hit": "hit_energy", "divide": "min_divide_energy"}


def problem(start, seen, reply):
    if reply["cmd"] == "rest":
        return None
    if reply["cmd"] not in NEEDS:
        return "no such command"
    if reply["dir"] not in range(8):
        return "directions are 0 to 7"
    if seen["energy"] < start["rules"][NEEDS[reply["cmd"]]]:
        return "too little energy"
    target = tuple(start["setup"]["directions"][reply["dir"]])
    occupied = target in [(other["dx"], other["dy"]) for other in seen["others"]]
    if occupied != (reply["cmd"] == "hit"):
        return "somebody is there" if occupied else "nobody is there"
    return None
