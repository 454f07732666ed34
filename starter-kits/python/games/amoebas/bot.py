"""A random species for amoebas: each rests half of the time, and else does something that is possible."""

import agon

GAME = "amoebas"


class Species(agon.Bot):
    def decide(self, seen, turn):
        """What one amoeba does. It sees `energy`, `health`, `data`, `function`, `fuel` and `others`."""
        energy = seen["energy"]
        others = {(other["dx"], other["dy"]): other for other in seen["others"]}
        commands = []
        # Directions are numbers from 0, north-west, clockwise; this has the way that each goes.
        for direction, (dx, dy) in enumerate(self.setup["directions"]):
            other = others.get((dx, dy))
            if other is None:
                if energy >= self.rules["move_energy"]:
                    commands.append({"cmd": "move", "dir": direction})
                if energy >= self.rules["min_divide_energy"]:
                    commands.append({"cmd": "divide", "dir": direction})
            elif other["species"] != self.player and energy >= self.rules["hit_energy"]:
                commands.append({"cmd": "hit", "dir": direction})
        if not commands or self.random.random() < 0.5:
            return {"cmd": "rest"}
        return self.random.choice(commands)


if __name__ == "__main__":
    agon.run(Species, GAME)
