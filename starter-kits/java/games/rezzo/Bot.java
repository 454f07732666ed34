import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random agent: anything that is possible in front of it. */
final class Bot implements Player {
    /** Wires, signals and flags: they vanish after some hits. */
    static final String HITTABLE = ".*,~ABCDEFGHIJ";

    private final Random random;

    Bot(Game.Start start) {
        this.random = new Random(start.seed());
    }

    /** The action of this tick. */
    @Override
    public Game.Reply decide(Game.Observation seen, int turn) {
        List<Game.Action> actions = new ArrayList<>(
                List.of(Game.Action.NOP, Game.Action.TURN_LEFT, Game.Action.TURN_RIGHT));
        if (ahead(seen) == ' ') {
            actions.addAll(List.of(Game.Action.ADVANCE, Game.Action.BUILD));
        } else if (HITTABLE.indexOf(ahead(seen)) >= 0) {
            actions.add(Game.Action.HIT);
        }
        return new Game.Reply(actions.get(random.nextInt(actions.size())));
    }

    /** The cell in front of the agent. */
    static char ahead(Game.Observation seen) {
        return seen.rows().get(11).charAt(6);
    }
}
