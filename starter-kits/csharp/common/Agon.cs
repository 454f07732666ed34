using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

/// <summary>
/// Agon's protocol: lines of JSON over standard input and output, or over a socket.
///
/// The bot is in Bot.cs; the messages are in Game.cs.
/// </summary>
public static class Agon
{
    /// <summary>Plays one match: reads messages and writes answers.</summary>
    public static void Play(Func<Start, Player> newPlayer, Stream input, Stream output)
    {
        // Neither a byte order mark nor anything but a line feed at the end of a line.
        var encoding = new UTF8Encoding(false);
        var lines = new StreamReader(input, encoding, false, 1 << 16);
        var writer = new StreamWriter(output, encoding, 1 << 16);
        Player player = null;
        for (string line = lines.ReadLine(); line != null; line = lines.ReadLine())
        {
            if (!line.StartsWith("{", StringComparison.Ordinal))
            {
                throw new InvalidDataException(line + " is no message of JSON Lines; is jsonl: missing in front of the bot?");
            }
            switch (Json.StringAt(line, "type"))
            {
                case "start":
                    var start = Json.Read<Start>(line);
                    if (start.Game != Game.Name)
                    {
                        throw new InvalidDataException("this bot plays " + Game.Name + ", not " + start.Game);
                    }
                    player = newPlayer(start);
                    break;
                case "decide":
                    var question = Json.Read<Decide>(line);
                    Reply[] replies = player.Answer(question.Decisions, (int)question.Turn);
                    writer.Write(Json.Write(new AnswersData { Step = question.Step, Answers = replies }) + "\n");
                    writer.Flush();
                    break;
                case "end":
                    player.End(Json.Read<End>(line).Outcome);
                    return;
            }
        }
    }

    /// <summary>Waits for matches at a port of this machine and plays them one after the other.</summary>
    private static void Listen(int port)
    {
        var listener = new TcpListener(IPAddress.Loopback, port);
        listener.Start();
        Console.Error.WriteLine("waiting for matches at connect:localhost:" + port);
        while (true)
        {
            try
            {
                using (TcpClient client = listener.AcceptTcpClient())
                using (NetworkStream stream = client.GetStream())
                {
                    client.NoDelay = true;
                    Play(start => new Bot(start), stream, stream);
                }
            }
            catch (IOException lost)
            {
                Console.Error.WriteLine("the match is over: " + lost.Message);
            }
        }
    }

    public static int Main(string[] arguments)
    {
        // Only answers may reach the arena; what the bot prints goes to standard error instead.
        Console.SetOut(Console.Error);
        try
        {
            if (arguments.Length == 2 && arguments[0] == "--listen") Listen(int.Parse(arguments[1]));
            else Play(start => new Bot(start), Console.OpenStandardInput(), Console.OpenStandardOutput());
            return 0;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            return 1;
        }
    }
}
