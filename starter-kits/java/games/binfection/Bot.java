import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random army: half of every stack goes somewhere on the field. */
final class Bot implements Player {
    /** The way of each direction: up, right, down, left. */
    static final int[][] WAYS = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};

    private final Game.Start start;
    private final Random random;

    Bot(Game.Start start) {
        this.start = start;
        this.random = new Random(start.seed());
    }

    /** The moves of this turn. */
    @Override
    public Game.Reply decide(Game.Observation seen, int turn) {
        List<Game.Move> moves = new ArrayList<>();
        for (Game.SeenCell cell : seen.cells()) {
            if (cell.owner() != start.player() || cell.units() < 2) {
                continue;
            }
            List<Integer> directions = new ArrayList<>();
            for (int direction = 0; direction < WAYS.length; direction++) {
                if (onField(start.rules(), cell.x() + WAYS[direction][0], cell.y() + WAYS[direction][1])) {
                    directions.add(direction);
                }
            }
            if (!directions.isEmpty()) {
                moves.add(new Game.Move(cell.x(), cell.y(), directions.get(random.nextInt(directions.size()))));
            }
        }
        return new Game.Reply(moves);
    }

    /** Who leaves the field is lost. */
    static boolean onField(Game.Rules rules, int x, int y) {
        return 0 <= x && x < rules.fieldWidth() && 0 <= y && y < rules.fieldHeight();
    }
}
