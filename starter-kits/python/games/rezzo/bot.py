"""A random agent for rezzo: anything that is possible in front of it."""

import agon

GAME = "rezzo"


class Agent(agon.Bot):
    def decide(self, seen, turn):
        """The action of this tick. `rows` are the 13x13 cells ahead; the agent is in the middle of the last row."""
        ahead = seen["rows"][11][6]
        actions = ["NOP", "TURN_LEFT", "TURN_RIGHT"]
        if ahead == " ":
            actions += ["ADVANCE", "BUILD"]
        elif ahead in ".*,~" or ahead in "ABCDEFGHIJ":
            # Wires, signals and flags can be hit, and vanish after some hits.
            actions.append("HIT")
        return {"action": self.random.choice(actions)}


if __name__ == "__main__":
    agon.run(Agent, GAME)
