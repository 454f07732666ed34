/** Tells what is wrong with a reply; null: nothing. */
final class Legal {
    static String problem(Game.Start start, Game.Observation seen, Game.Reply reply) {
        boolean possible = switch (reply.action()) {
            case NOP, TURN_LEFT, TURN_RIGHT -> true;
            case ADVANCE, BUILD -> Bot.ahead(seen) == ' ';
            case HIT -> Bot.HITTABLE.indexOf(Bot.ahead(seen)) >= 0;
        };
        return possible ? null : "not possible here";
    }
}
