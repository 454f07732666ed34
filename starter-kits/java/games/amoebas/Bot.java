import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random species: each amoeba rests half of the time, and else does something that is possible. */
final class Bot implements Player {
    private final Game.Start start;
    private final Random random;

    Bot(Game.Start start) {
        this.start = start;
        this.random = new Random(start.seed());
    }

    /** What one amoeba does. */
    @Override
    public Game.Reply decide(Game.Observation seen, int turn) {
        Game.Rules rules = start.rules();
        List<Game.Reply> replies = new ArrayList<>();
        // Directions are numbers from 0, north-west, clockwise; the setup has the way that each goes.
        int[][] directions = start.setup().directions();
        for (int dir = 0; dir < directions.length; dir++) {
            Game.Other other = at(seen, directions[dir]);
            if (other == null) {
                if (seen.energy() >= rules.moveEnergy()) {
                    replies.add(Game.Reply.move(dir));
                }
                if (seen.energy() >= rules.minDivideEnergy()) {
                    replies.add(Game.Reply.divide(dir));
                }
            } else if (other.species() != start.player() && seen.energy() >= rules.hitEnergy()) {
                replies.add(Game.Reply.hit(dir));
            }
        }
        if (replies.isEmpty() || random.nextBoolean()) {
            return Game.Reply.rest();
        }
        return replies.get(random.nextInt(replies.size()));
    }

    /** The other amoeba on a cell, or null. */
    static Game.Other at(Game.Observation seen, int[] way) {
        for (Game.Other other : seen.others()) {
            if (other.dx() == way[0] && other.dy() == way[1]) {
                return other;
            }
        }
        return null;
    }
}
