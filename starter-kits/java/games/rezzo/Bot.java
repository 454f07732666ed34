import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A random agent: anything that is possible in front of it. */
final class Bot implements Player {
    /** Wires, signals and flags: they vanish after some hits. */
    static final String HITTABLE = ".*,~ABCDEFGHIJ";

    private final Random random;

    Bot(Message.Start start) {
        this.random = new Random(start.seed());
    }

    /** The action of this tick. */
    @Override
    public Game.Reply decide(Game.Observation seen, int turn) {
        List<String> actions = new ArrayList<>(List.of("NOP", "TURN_LEFT", "TURN_RIGHT"));
        if (seen.ahead() == ' ') {
            actions.addAll(List.of("ADVANCE", "BUILD"));
        } else if (HITTABLE.indexOf(seen.ahead()) >= 0) {
            actions.add("HIT");
        }
        return new Game.Reply(actions.get(random.nextInt(actions.size())));
    }
}
