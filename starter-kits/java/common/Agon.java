import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/**
 * Agon's protocol: lines of JSON over standard input and output, or over a socket.
 *
 * <p>The bot is in Bot.java; the messages are in Game.java.
 */
final class Agon {
    /** Plays one match: reads messages and writes answers. */
    static void play(Function<Game.Start, Player> newPlayer, InputStream input, OutputStream output)
            throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8), 1 << 16);
        Player player = null;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.startsWith("{")) {
                throw new IOException(line + " is no message of JSON Lines; is jsonl: missing in front of the bot?");
            }
            switch (Json.stringAt(line, "type")) {
                case "start" -> {
                    Game.Start start = Json.read(line, Game.Start.class);
                    if (!start.game().equals(Game.NAME)) {
                        throw new IOException("this bot plays " + Game.NAME + ", not " + start.game());
                    }
                    player = newPlayer.apply(start);
                }
                case "decide" -> {
                    Game.Decide question = Json.read(line, Game.Decide.class);
                    List<Game.Reply> replies = player.answer(question.decisions(), (int) question.turn());
                    String text = Json.write(new Game.Answers(question.step(), replies)) + "\n";
                    output.write(text.getBytes(StandardCharsets.UTF_8));
                    output.flush();
                }
                case "end" -> {
                    player.end(Json.read(line, Game.End.class).outcome());
                    return;
                }
                default -> {}
            }
        }
    }

    /** Waits for matches at a port of this machine and plays them one after the other. */
    private static void listen(int port) throws IOException {
        try (ServerSocket server = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            System.err.println("waiting for matches at connect:localhost:" + port);
            while (true) {
                try (Socket socket = server.accept()) {
                    socket.setTcpNoDelay(true);
                    play(Bot::new, socket.getInputStream(), socket.getOutputStream());
                } catch (IOException lost) {
                    System.err.println("the match is over: " + lost.getMessage());
                }
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        // Only answers may reach the arena; what the bot prints goes to standard error instead.
        OutputStream output = System.out;
        System.setOut(System.err);
        if (arguments.length == 2 && arguments[0].equals("--listen")) {
            listen(Integer.parseInt(arguments[1]));
        } else {
            play(Bot::new, System.in, output);
        }
    }
}
