/** The messages of cellhack; {@code agon rules cellhack --schema} explains each field. */
final class Game {
    static final String NAME = "cellhack";

    /** The settings of the match. */
    record Rules(
            int width,
            int height,
            int turns,
            int energyStart,
            int energyMax,
            int energyMin,
            int energyMinSplit,
            int eatAmount,
            int restBase,
            int restPerNeighbour,
            int restMin) {}

    /** There is nothing to tell. */
    record Setup() {}

    /**
     * What a cell sees. {@code env} has the nine places around it, row by row: 0 empty, 255 rock, else a
     * player's number plus one. Energy 255 stands for 255 and more.
     */
    record Observation(int[] env, int energy, long memory) {}

    /**
     * What a cell does: REST, NOTHING, DIE, or EAT_, MOVE_, SPLIT_, FEED_ with UP, LEFT, RIGHT or DOWN. The
     * memory is from 0 to Long.MAX_VALUE; where it is null it stays as it is.
     */
    record Reply(String action, Long memory) {}
}
