/** Tells what is wrong with a reply; null: nothing. */
final class Legal {
    static String problem(Message.Start start, Game.Observation seen, Game.Reply reply) {
        boolean possible = switch (reply.action()) {
            case "NOP", "TURN_LEFT", "TURN_RIGHT" -> true;
            case "ADVANCE", "BUILD" -> seen.ahead() == ' ';
            case "HIT" -> Bot.HITTABLE.indexOf(seen.ahead()) >= 0;
            default -> false;
        };
        return possible ? null : "not possible here";
    }
}
