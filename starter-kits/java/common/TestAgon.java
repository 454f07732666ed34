import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Tests the kit and the bot with the recorded conversation in golden, or in the folder that AGON_GOLDEN names.
 *
 * <p>GAME.arena.jsonl is what a bot reads, GAME.bot.jsonl what one answered.
 */
final class TestAgon {
    private static final List<String> ARENA = recorded("arena");
    private static final List<String> BOT = recorded("bot");

    private static List<String> recorded(String who) {
        String folder = Objects.requireNonNullElse(System.getenv("AGON_GOLDEN"), "golden");
        try {
            return Files.readAllLines(Path.of(folder, Game.NAME + "." + who + ".jsonl"));
        } catch (IOException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** What a line says, without the keys that are null: the kit does not write those. */
    private static Object value(String line) {
        Object value = Json.read(line, Object.class);
        withoutNulls(value);
        return value;
    }

    private static void withoutNulls(Object value) {
        if (value instanceof Map<?, ?> map) {
            map.values().removeIf(Objects::isNull);
            map.values().forEach(TestAgon::withoutNulls);
        } else if (value instanceof Collection<?> list) {
            list.forEach(TestAgon::withoutNulls);
        }
    }

    private static List<String> play(Function<Game.Start, Player> player, List<String> lines) throws IOException {
        byte[] input = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        Agon.play(player, new ByteArrayInputStream(input), output);
        return output.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static void messagesLoseNothing() {
        Map<String, Class<?>> types = Map.of(
                "start", Game.Start.class, "decide", Game.Decide.class, "end", Game.End.class);
        for (String line : ARENA) {
            Object type = ((Map<?, ?>) Json.read(line, Object.class)).get("type");
            String again = Json.write(Json.read(line, types.get(type)));
            check(value(line).equals(value(again)), line + "\nbecomes\n" + again);
        }
        for (String line : BOT) {
            String again = Json.write(Json.read(line, Game.Answers.class));
            check(value(line).equals(value(again)), line + "\nbecomes\n" + again);
        }
    }

    private static void answersAreWrittenAsRecorded() throws IOException {
        List<Game.Outcome> outcomes = new ArrayList<>();
        List<String> answers = new ArrayList<>(BOT);
        Player replay = new Player() {
            @Override
            public Game.Reply decide(Game.Observation seen, int turn) {
                throw new IllegalStateException();
            }

            @Override
            public List<Game.Reply> answer(List<Game.Observation> decisions, int turn) {
                return Json.read(answers.remove(0), Game.Answers.class).answers();
            }

            @Override
            public void end(Game.Outcome outcome) {
                outcomes.add(outcome);
            }
        };
        List<String> written = play(start -> replay, ARENA);
        check(written.size() == BOT.size(), "an answer for each question");
        for (int index = 0; index < BOT.size(); index++) {
            check(value(BOT.get(index)).equals(value(written.get(index))), written.get(index));
        }
        check(outcomes.size() == 1 && outcomes.get(0) != null, "the outcome is told");
    }

    private static void unknownKeysAndMessagesAreIgnored() throws IOException {
        List<String> strange = new ArrayList<>();
        // The end is missing, too: then the end of the input ends the match.
        for (String line : ARENA.subList(0, ARENA.size() - 1)) {
            strange.add("{\"type\":\"news\",\"step\":\"\\\\\\\"}\",\"x\":[-1.5e3,{}]}");
            strange.add("{\"new_key\":[1,{\"a\":null}], " + line.substring(1));
        }
        check(play(Bot::new, strange).size() == BOT.size(), "an answer for each question");
    }

    private static void repliesAreLegalAndRepeat() {
        for (int seed = 0; seed < 200; seed++) {
            String first = ARENA.get(0).replaceFirst("\"seed\":[0-9]+", "\"seed\":" + seed);
            Game.Start start = Json.read(first, Game.Start.class);
            Player one = new Bot(start);
            Player two = new Bot(start);
            for (String line : ARENA.subList(1, ARENA.size() - 1)) {
                Game.Decide question = Json.read(line, Game.Decide.class);
                int turn = (int) question.turn();
                List<Game.Reply> replies = one.answer(question.decisions(), turn);
                check(replies.equals(two.answer(question.decisions(), turn)), "replies repeat");
                check(replies.size() == question.decisions().size(), "a reply for each decision");
                for (int index = 0; index < replies.size(); index++) {
                    String problem = Legal.problem(start, question.decisions().get(index), replies.get(index));
                    check(problem == null, problem + ": " + replies.get(index));
                }
            }
        }
    }

    private static void anotherGameIsRefused() {
        try {
            play(Bot::new, List.of(ARENA.get(0).replaceFirst("\"game\":\"[a-z]+", "\"game\":\"chess")));
        } catch (IOException expected) {
            check(expected.getMessage().endsWith("not chess"), expected.getMessage());
            return;
        }
        throw new AssertionError("a bot for another game plays");
    }

    private static void jsonIsRead() {
        String text = " { \"a\" : [ ] , \"b\\u00e9\\n\\\"\" : [ 1 , -2.5 , \"\\u0000hex:ff\" , true , { } ] } ";
        String compact = "{\"a\":[],\"b\u00e9\\u000a\\\"\":[1,-2.5,\"\\u0000hex:ff\",true,{}]}";
        check(Json.write(Json.read(text, Object.class)).equals(compact), Json.write(Json.read(text, Object.class)));
        for (String wrong : List.of("", "{", "[1,]", "[1}", "\"", "{\"a\"}", "nul", "1 2", "--1", "{\"type\":5}")) {
            try {
                Class<?> type = wrong.contains("type") ? Game.End.class : Object.class;
                Json.read(wrong, type);
            } catch (IllegalArgumentException expected) {
                continue;
            }
            throw new AssertionError(wrong + " is no JSON");
        }
    }

    public static void main(String[] arguments) throws IOException {
        messagesLoseNothing();
        answersAreWrittenAsRecorded();
        unknownKeysAndMessagesAreIgnored();
        repliesAreLegalAndRepeat();
        anotherGameIsRefused();
        jsonIsRead();
        System.out.println("passed");
    }
}
