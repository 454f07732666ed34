"""A random player for {{game}}: any answer that is allowed."""

import agon

GAME = "{{game}}"


class Player(agon.Bot):
    def decide(self, seen, turn):
        """One answer of seen["legal"], as it is. `seen["view"]` is what the game shows, `seen["unit"]` who acts."""
        return self.random.choice(seen["legal"])


if __name__ == "__main__":
    agon.run(Player, GAME)
