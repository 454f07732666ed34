import java.util.List;

/** The messages of amoebas; {@code agon rules amoebas --schema} explains each field. */
final class Game {
    static final String NAME = "amoebas";

    /** The settings of the match. */
    record Rules(
            int worldSize,
            int sunEnergy,
            int maxCellEnergy,
            int viewDistance,
            int maxAmoebaEnergy,
            int restEnergy,
            int moveEnergy,
            int hitEnergy,
            int maxFuelingEnergy,
            int minDivideEnergy,
            int divideEnergyLoss,
            int maxAmoebaHealth,
            int hitLoss,
            int recoveryGain,
            int rounds,
            int dataLimit) {}

    /** The way {dx, dy} of each direction, and to each cell of the window. */
    record Setup(int[][] directions, int[][] window) {}

    /**
     * What an amoeba sees: itself (data may be null; a function of null is the original one of the species),
     * the fuel of each cell of its window, and the others there.
     */
    record Observation(int energy, int health, String data, String function, int[] fuel, List<Other> others) {
        /** The other amoeba on a cell, or null. */
        Other at(int[] way) {
            for (Other other : others) {
                if (other.dx() == way[0] && other.dy() == way[1]) {
                    return other;
                }
            }
            return null;
        }
    }

    /** Another amoeba in the window; its species is a player's number. */
    record Other(int dx, int dy, int species, int energy, int health, String data) {}

    /** What an amoeba does; without data its old ones are forgotten. */
    record Reply(String cmd, Integer dir, String data, String function, String childData) {
        /** Eats and recovers. */
        static Reply rest() {
            return new Reply("rest", null, null, null, null);
        }

        /** Goes to an empty neighboring cell. */
        static Reply move(int dir) {
            return new Reply("move", dir, null, null, null);
        }

        /** Hurts the amoeba on a neighboring cell. */
        static Reply hit(int dir) {
            return new Reply("hit", dir, null, null, null);
        }

        /** Puts a child on an empty neighboring cell; its function is the parent's, its data null. */
        static Reply divide(int dir) {
            return new Reply("divide", dir, null, null, null);
        }

        /** The same with data for the amoeba itself. */
        Reply with(String data) {
            return new Reply(cmd, dir, data, function, childData);
        }
    }
}
