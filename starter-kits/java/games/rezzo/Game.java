import java.util.List;

/** The messages of rezzo; {@code agon rules rezzo --schema} explains each field. */
final class Game {
    static final String NAME = "rezzo";

    /** The settings of the match. */
    record Rules(
            int width,
            int height,
            long maxTicks,
            int damageLimit,
            String flagDissolves,
            String baseOf,
            List<String> map,
            int gridStep,
            int densityDivisor,
            int loopArea,
            int loopMin,
            int loopMax) {}

    /** The characters of what is one's own. */
    record Setup(String agent, String flag, String geyser, String base) {}

    /**
     * What an agent sees: what became of its previous answer (OK, NO_MESSAGE, INVALID, GARBAGE, SEVERAL), the
     * 13x13 cells ahead, the farthest row first (the agent is at index 6 of the last row), and the damage of
     * the same cells.
     */
    record Observation(String ack, List<String> rows, int[][] damage) {
        /** The cell in front of the agent. */
        char ahead() {
            return rows.get(11).charAt(6);
        }
    }

    /** The action: NOP, ADVANCE, TURN_LEFT, TURN_RIGHT, BUILD or HIT. */
    record Reply(String action) {}
}
