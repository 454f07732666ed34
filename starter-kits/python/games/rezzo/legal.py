"""Tells what is wrong with a reply, if anything."""


def problem(start, seen, reply):
    action, ahead = reply["action"], seen["rows"][11][6]
    if action in ("NOP", "TURN_LEFT", "TURN_RIGHT"):
        return None
    if action in ("ADVANCE", "BUILD"):
        return None if ahead == " " else "the way is blocked"
    if action == "HIT":
        return None if ahead in ".*,~ABCDEFGHIJ" else "nothing to hit"
    return "no such action"
