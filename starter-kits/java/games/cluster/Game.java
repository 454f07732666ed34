import java.util.List;

/** The messages of cluster; {@code agon rules cluster --schema} explains each field. */
final class Game {
    static final String NAME = "cluster";

    /** The settings of the match; a bag of null stands for the usual number of pellets, see Setup. */
    record Rules(int side, int runLength, int handSize, Integer bag, long maxRounds) {}

    /**
     * What never changes: neighbors[cell][direction], -1 beyond the edge; tops[column][gravity], the cell where
     * a pellet enters; the two colors of each player; pellets of each color in a full bag.
     */
    record Setup(int[][] neighbors, int[][] tops, int[][] colors, int bag) {}

    /**
     * What the player to move sees: the color on each cell (-1: empty), the colors in hand, the columns that
     * take a pellet, what is left in its bags without the hand, and its pellets burnt by rotations so far.
     */
    record Observation(int gravity, int[] cells, int[] hand, List<Column> columns, List<Bag> bags, int burnt) {}

    /** A column, the cell where a pellet enters, and the cell where it comes to rest. */
    record Column(int column, int top, int landing) {}

    /** Pellets of an own color. */
    record Bag(int color, int pellets) {}

    /** A move. */
    record Reply(String action, Integer column, Integer color, Integer cycles) {
        /** Lets a pellet fall into a column. */
        static Reply place(int column, int color) {
            return new Reply("PLACE", column, color, null);
        }

        /** Turns the gravity by 1 to 5 sixths of a full turn. */
        static Reply rotate(int cycles) {
            return new Reply("ROTATE", null, null, cycles);
        }

        /** Gives the game up. */
        static Reply forfeit() {
            return new Reply("FORFEIT", null, null, null);
        }
    }
}
