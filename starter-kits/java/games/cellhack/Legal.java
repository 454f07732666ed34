import java.util.List;

/** Tells what is wrong with a reply; null: nothing. */
final class Legal {
    static String problem(Game.Start start, Game.Observation seen, Game.Reply reply) {
        if (reply.memory() != null && reply.memory() < 0) {
            return "the memory is not negative";
        }
        if (List.of(Game.Action.REST, Game.Action.NOTHING, Game.Action.DIE).contains(reply.action())) {
            return null;
        }
        for (Bot.Way way : Bot.Way.values()) {
            int there = seen.env()[way.place];
            if (reply.action() == way.action("MOVE")) {
                return there == Bot.EMPTY ? null : "the place is taken";
            }
            if (reply.action() == way.action("SPLIT")) {
                boolean rich = seen.energy() > start.rules().energyMinSplit();
                return there == Bot.EMPTY && rich ? null : "no place or energy to split";
            }
            if (reply.action() == way.action("EAT") || reply.action() == way.action("FEED")) {
                return there != Bot.EMPTY && there != Bot.ROCK ? null : "there is no cell";
            }
        }
        return "no such action";
    }
}
