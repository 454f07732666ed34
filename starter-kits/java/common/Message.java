import java.util.List;

/** The messages of all games. */
final class Message {
    /**
     * The first message. The player is the bot's own number; the seed is for its random choices: the same
     * whenever the match is played again.
     */
    record Start(
            String type,
            int protocol,
            String game,
            int rulesVersion,
            Game.Rules rules,
            List<String> players,
            int player,
            long seed,
            Game.Setup setup) {}

    /** A question. */
    record Decide(String type, long step, int turn, List<Game.Observation> decisions) {}

    /** The answer to a question. */
    record Answers(long step, List<Game.Reply> answers) {}

    /** The last message. */
    record End(String type, Outcome outcome) {}

    /** Who won, and why. */
    record Outcome(List<Integer> winners, String reason) {}
}
