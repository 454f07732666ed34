#!/usr/bin/env python3
"""A bot for cluster in plain Python 3: wins if it can, blocks if it must, else builds.

Play it:

    agon play cluster "python3 examples/bots/cluster/greedy.py" builtin:greedy

The rules and the protocol: agon rules cluster
"""

import random
import sys

NEED = 4  # length of a winning run

# The same match again plays the same game; another number as argument makes another player.
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)


def read_numbers():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)  # the game is over
    return [int(word) for word in line.split()]


def read_rows():
    """A number, then so many lines of numbers."""
    (count,) = read_numbers()
    return [read_numbers() for _ in range(count)]


class Board:
    def __init__(self):
        self.neighbors = [row[1:] for row in read_rows()]
        read_rows()  # top cells of all columns; each turn tells those of now
        self.my_colors = [color for color, _ in read_rows()]
        self.their_colors = [color for color, _ in read_rows()]
        self.color = [None] * len(self.neighbors)  # by cell
        self.pellets = {}  # index: (cell, color)

    def read_turn(self):
        (self.direction,) = read_numbers()
        self.columns = read_rows()
        for index, cell, color, _ in read_rows():
            self.pellets[index] = (cell, color)
        for index, cell in read_rows():
            self.pellets[index] = (cell, self.pellets[index][1])
        self.hand = [color for (color,) in read_rows()]
        sys.stdin.readline()  # the empty line
        self.color = [None] * len(self.neighbors)
        for cell, color in self.pellets.values():
            self.color[cell] = color

    def landing(self, top):
        """Where a pellet comes to rest that enters at a top cell."""
        cell = top
        while True:
            below = self.neighbors[cell][self.direction]
            if below < 0 or self.color[below] is not None:
                return cell
            cell = below

    def run(self, cell, color):
        """Length of the longest run through a cell if a pellet of this color lies there."""
        return max(1 + self.count(cell, color, axis) + self.count(cell, color, axis + 3) for axis in range(3))

    def count(self, cell, color, direction):
        length = 0
        cell = self.neighbors[cell][direction]
        while cell >= 0 and self.color[cell] == color:
            length += 1
            cell = self.neighbors[cell][direction]
        return length

    def could_win(self, colors):
        """Whether a pellet of one of these colors would complete a run somewhere."""
        for _, top in self.columns:
            if self.color[top] is not None:
                continue  # filled by the move being tried
            cell = self.landing(top)
            if any(self.run(cell, color) >= NEED for color in colors):
                return True
        return False

    def rotated(self, color, cycles):
        """These colors by cell after a rotation."""
        direction = (self.direction + cycles) % 6
        color = list(color)
        floors = [cell for cell, around in enumerate(self.neighbors) if around[direction] < 0]
        for floor in floors:
            free = cell = floor
            while cell >= 0:  # from the floor upwards
                if color[cell] is not None:
                    falling, color[cell] = color[cell], None
                    color[free] = falling
                    free = self.neighbors[free][(direction + 3) % 6]
                cell = self.neighbors[cell][(direction + 3) % 6]
        return color

    def longest(self, colors):
        """The longest run of any of these colors on the board."""
        return max((self.run(cell, color) for cell, color in enumerate(self.color) if color in colors), default=0)


def winning_rotation(board, mine, theirs):
    """A rotation after which the colors `mine` have the longest run, if there is one."""
    before = board.color
    try:
        for cycles in range(1, 6):
            board.color = board.rotated(before, cycles)
            longest = board.longest(mine)
            if longest >= NEED and longest > board.longest(theirs):
                return cycles
    finally:
        board.color = before
    return None


def gives_away(board, cell, color):
    """Whether the opponent could win by a rotation once this pellet lies there."""
    board.color[cell] = color
    cycles = winning_rotation(board, board.their_colors, board.my_colors)
    board.color[cell] = None
    return cycles is not None


def choose(board):
    moves = []
    for column, top in board.columns:
        cell = board.landing(top)
        for color in set(board.hand):
            run = board.run(cell, color)
            if run >= NEED:
                return f"PLACE {column} {color}"
            board.color[cell] = color  # try it
            safe = not board.could_win(board.their_colors)
            board.color[cell] = None
            moves.append((safe, run, random.random(), column, color, cell))
    cycles = winning_rotation(board, board.my_colors, board.their_colors)
    if cycles is not None:
        return f"ROTATE {cycles}"
    if not moves:
        return "ROTATE 1"
    moves.sort(reverse=True)
    # Rotations take long to try: only for the best few moves.
    for _, _, _, column, color, cell in moves[:4]:
        if not gives_away(board, cell, color):
            return f"PLACE {column} {color}"
    _, _, _, column, color, _ = moves[0]
    return f"PLACE {column} {color}"


def main():
    board = Board()
    while True:
        board.read_turn()
        print(choose(board), flush=True)


main()
