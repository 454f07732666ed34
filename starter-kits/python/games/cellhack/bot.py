"""A random colony for cellhack: every cell does something that is possible where it is."""

import agon

GAME = "cellhack"

# Where a cell's neighbors are in its `env`.
PLACES = {"UP": 1, "LEFT": 3, "RIGHT": 5, "DOWN": 7}
CENTER, EMPTY, ROCK = 4, 0, 255


class Colony(agon.Bot):
    def decide(self, seen, turn):
        """What one cell does. It sees `env`, `energy` and `memory`."""
        env = seen["env"]
        actions = ["REST"]
        for way, place in PLACES.items():
            if env[place] == EMPTY:
                actions.append("MOVE_" + way)
                if seen["energy"] > self.rules["energy_min_split"]:
                    actions.append("SPLIT_" + way)
            elif env[place] not in (env[CENTER], ROCK):
                actions.append("EAT_" + way)
        # The memory counts the turns that the cell and its ancestors have seen; nothing else lasts.
        return {"action": self.random.choice(actions), "memory": seen["memory"] + 1}


if __name__ == "__main__":
    agon.run(Colony, GAME)
