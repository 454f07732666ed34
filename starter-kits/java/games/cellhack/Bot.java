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
    }

    private final Message.Start start;
    private final Random random;

    Bot(Message.Start start) {
        this.start = start;
        this.random = new Random(start.seed());
    }

    /** What one cell does. */
    @Override
    public Game.Reply decide(Game.Observation seen, int turn) {
        List<String> actions = new ArrayList<>(List.of("REST"));
        for (Way way : Way.values()) {
            int there = seen.env()[way.place];
            if (there == EMPTY) {
                actions.add("MOVE_" + way);
                if (seen.energy() > start.rules().energyMinSplit()) {
                    actions.add("SPLIT_" + way);
                }
            } else if (there != seen.env()[CENTER] && there != ROCK) {
                actions.add("EAT_" + way);
            }
        }
        // The memory counts the turns that the cell and its ancestors have seen; nothing else lasts.
        return new Game.Reply(actions.get(random.nextInt(actions.size())), seen.memory() + 1);
    }
}
