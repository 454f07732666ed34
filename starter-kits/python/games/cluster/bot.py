"""A random player for cluster: any pellet in hand into any column that takes one."""

import agon

GAME = "cluster"


class Player(agon.Bot):
    def decide(self, seen, turn):
        """The move of this turn. `columns` are those that take a pellet, and where it comes to rest in each."""
        if not seen["columns"]:
            # The board is full where pellets enter: turn it.
            return {"action": "ROTATE", "cycles": self.random.randint(1, 5)}
        column = self.random.choice(seen["columns"])
        color = self.random.choice(seen["hand"])
        return {"action": "PLACE", "column": column["column"], "color": color}


if __name__ == "__main__":
    agon.run(Player, GAME)
