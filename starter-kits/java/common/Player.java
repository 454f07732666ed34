import java.util.ArrayList;
import java.util.List;

/** One player in one match. */
interface Player {
    /** The reply to one observation. */
    Game.Reply decide(Game.Observation seen, int turn);

    /** The replies to all observations of a question, in the same order. Override it to plan for all together. */
    default List<Game.Reply> answer(List<Game.Observation> decisions, int turn) {
        List<Game.Reply> replies = new ArrayList<>(decisions.size());
        for (Game.Observation seen : decisions) {
            replies.add(decide(seen, turn));
        }
        return replies;
    }

    /** The match is over, or the player is out; the outcome may be null. */
    default void end(Game.Outcome outcome) {}
}
