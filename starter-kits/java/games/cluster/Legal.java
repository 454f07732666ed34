import java.util.Arrays;

/** Tells what is wrong with a reply; null: nothing. */
final class Legal {
    static String problem(Game.Start start, Game.Observation seen, Game.Reply reply) {
        switch (reply.action()) {
            case "ROTATE":
                return reply.cycles() >= 1 && reply.cycles() <= 5 ? null : "1 to 5 cycles";
            case "PLACE":
                boolean held = Arrays.stream(seen.hand()).anyMatch(color -> color == reply.color());
                boolean free = seen.columns().stream().anyMatch(column -> column.column() == reply.column());
                return held && free ? null : "not that color into that column";
            default:
                return "no such action";
        }
    }
}
