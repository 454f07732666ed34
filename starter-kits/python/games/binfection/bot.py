"""A random army for binfection: half of every stack goes somewhere on the field."""

import agon

GAME = "binfection"

# The way of each direction: up, right, down, left.
WAYS = [(0, -1), (1, 0), (0, 1), (-1, 0)]


class Army(agon.Bot):
    def decide(self, seen, turn):
        """The moves of this turn. `cells` are the own ones and their neighbors."""
        moves = []
        for cell in seen["cells"]:
            if cell["owner"] != self.player or cell["units"] < 2:
                continue
            directions = [
                direction for direction, (dx, dy) in enumerate(WAYS) if self.on_field(cell["x"] + dx, cell["y"] + dy)
            ]
            if directions:
                moves.append({"x": cell["x"], "y": cell["y"], "direction": self.random.choice(directions)})
        return {"moves": moves}

    def on_field(self, x, y):
        """Who leaves the field is lost."""
        return 0 <= x < self.rules["field_width"] and 0 <= y < self.rules["field_height"]


if __name__ == "__main__":
    agon.run(Army, GAME)
