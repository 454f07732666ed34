import java.util.List;

/** The messages of binfection; {@code agon rules binfection --schema} explains each field. */
final class Game {
    static final String NAME = "binfection";

    /** The settings of the match. */
    record Rules(
            int turnsLimit,
            int fieldWidth,
            int fieldHeight,
            int spawnBorderGap,
            int spawnsDistance,
            int spawnsNumber,
            long warriorsInitNumber,
            long warriorsLimit,
            long growCoefficient) {}

    /** There is nothing to tell. */
    record Setup() {}

    /** All own cells and their neighbors, row by row. */
    record Observation(List<Cell> cells) {}

    /** A cell and what is on it; its owner is a player's number, or -1. */
    record Cell(int x, int y, int owner, long units) {}

    /** At most one move for each own cell; the list may be empty, but not null. */
    record Reply(List<Move> moves) {}

    /** Sends half of a cell's units 0 up, 1 right, 2 down, or 3 left. */
    record Move(int x, int y, int direction) {}
}
