"""Tells what is wrong with a reply, if anything."""

PLACES = {"UP": 1, "LEFT": 3, "RIGHT": 5, "DOWN": 7}


def problem(start, seen, reply):
    verb, _, way = reply["action"].partition("_")
    if not 0 <= reply.get("memory", 0) < 2**64:
        return "the memory has 64 bits"
    if verb in ("REST", "NOTHING", "DIE"):
        return "no direction, please" if way else None
    if verb not in ("EAT", "MOVE", "SPLIT", "FEED") or way not in PLACES:
        return "no such action"
    there = seen["env"][PLACES[way]]
    if verb in ("MOVE", "SPLIT") and there != 0:
        return "the place is taken"
    if verb in ("EAT", "FEED") and there in (0, 255):
        return "there is no cell"
    if verb == "SPLIT" and seen["energy"] <= start["rules"]["energy_min_split"]:
        return "too little energy to split"
    return None
