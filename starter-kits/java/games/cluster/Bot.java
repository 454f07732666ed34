import java.util.Random;

/** A random player: any pellet in hand into any column that takes one. */
final class Bot implements Player {
    private final Random random;

    Bot(Game.Start start) {
        this.random = new Random(start.seed());
    }

    /** The move of this turn. */
    @Override
    public Game.Reply decide(Game.Observation seen, int turn) {
        if (seen.columns().isEmpty()) {
            // The board is full where pellets enter: turn it.
            return Game.Reply.rotate(1 + random.nextInt(5));
        }
        Game.Column column = seen.columns().get(random.nextInt(seen.columns().size()));
        int color = seen.hand()[random.nextInt(seen.hand().length)];
        return Game.Reply.place(column.column(), color);
    }
}
