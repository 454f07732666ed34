/** Tells what is wrong with a reply; null: nothing. */
final class Legal {
    static String problem(Game.Start start, Game.Observation seen, Game.Reply reply) {
        if (reply.cmd().equals("rest")) {
            return null;
        }
        if (reply.dir() < 0 || reply.dir() > 7) {
            return "directions are 0 to 7";
        }
        Game.Rules rules = start.rules();
        boolean occupied = Bot.at(seen, start.setup().directions()[reply.dir()]) != null;
        boolean possible = switch (reply.cmd()) {
            case "move" -> !occupied && seen.energy() >= rules.moveEnergy();
            case "hit" -> occupied && seen.energy() >= rules.hitEnergy();
            case "divide" -> !occupied && seen.energy() >= rules.minDivideEnergy();
            default -> false;
        };
        return possible ? null : "not possible here";
    }
}
