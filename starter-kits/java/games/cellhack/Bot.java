import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random colony: every cell does something that is possible where it is. */
final class Bot implements Player {
    static final int CENTER = 4;
    static final int EMPTY = 0;
    static final int ROCK = 255;

    /** Where a cell's neighbors are in its env. */
    enum Way {
        UP(1),
        LEFT(3),
        RIGHT(5),
        DOWN(7);

        final int place;

        Way(int place) {
            this.place = place;
        }

        /** What EAT, MOVE, SPLIT or FEED is in this direction. */
        Game.Action action(String verb) {
            return Game.Action.valueOf(verb + "_" + this);
        }
    }

    private final Game.Start start;
    private final Random random;

    Bot(Game.Start start) {
        this.start = start;
        this.random = new Random(start.seed());
    }

    /** What one cell does. */
    @Override
    public Game.Reply decide(Game.Observation seen, int turn) {
        List<Game.Action> actions = new ArrayList<>(List.of(Game.Action.REST));
        for (Way way : Way.values()) {
            int there = seen.env()[way.place];
            if (there == EMPTY) {
                actions.add(way.action("MOVE"));
                if (seen.energy() > start.rules().energyMinSplit()) {
                    actions.add(way.action("SPLIT"));
                }
            } else if (there != seen.env()[CENTER] && there != ROCK) {
                actions.add(way.action("EAT"));
            }
        }
        // The memory counts the turns that the cell and its ancestors have seen; nothing else lasts. In Java it is
        // from 0 to Long.MAX_VALUE.
        return new Game.Reply(actions.get(random.nextInt(actions.size())), seen.memory() + 1);
    }
}
