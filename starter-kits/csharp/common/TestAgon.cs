using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>
/// Tests the kit and the bot with the recorded conversation in golden, or in the folder that AGON_GOLDEN names.
///
/// GAME.arena.jsonl is what a bot reads, GAME.bot.jsonl what one answered.
/// </summary>
public static class TestAgon
{
    private static readonly string[] Arena = Recorded("arena");
    private static readonly string[] Answers = Recorded("bot");

    private static string[] Recorded(string who)
    {
        string folder = Environment.GetEnvironmentVariable("AGON_GOLDEN") ?? "golden";
        return File.ReadAllLines(Path.Combine(folder, Game.Name + "." + who + ".jsonl"));
    }

    private static void Check(bool holds, string what)
    {
        if (!holds) throw new Exception(what);
    }

    /// <summary>What a line says in a normal form, without keys that are null: the kit does not write those.</summary>
    private static string Normal(string line)
    {
        return Json.Write(WithoutNulls(Json.Read<object>(line)));
    }

    private static object WithoutNulls(object value)
    {
        var map = value as IDictionary<string, object>;
        if (map != null)
        {
            var left = map.Where(entry => entry.Value != null);
            return new SortedDictionary<string, object>(left.ToDictionary(it => it.Key, it => WithoutNulls(it.Value)));
        }
        var list = value as object[];
        return list == null ? value : list.Select(WithoutNulls).ToArray();
    }

    private static string[] Play(Func<Start, Player> player, IEnumerable<string> lines)
    {
        var input = new MemoryStream(Encoding.UTF8.GetBytes(string.Concat(lines.Select(line => line + "\n"))));
        var output = new MemoryStream();
        Agon.Play(player, input, output);
        string text = Encoding.UTF8.GetString(output.ToArray());
        Check(text == "" || text.EndsWith("\n"), "lines end with a line feed");
        return text.Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries);
    }

    private static void MessagesLoseNothing()
    {
        var types = new Dictionary<string, Type>
        {
            { "start", typeof(Start) }, { "decide", typeof(Decide) }, { "end", typeof(End) },
        };
        foreach (string line in Arena)
        {
            var type = types[(string)((IDictionary<string, object>)Json.Read<object>(line))["type"]];
            string again = Json.Write(Json.Read(line, type));
            Check(Normal(line) == Normal(again), line + "\nbecomes\n" + again);
        }
        foreach (string line in Answers)
        {
            string again = Json.Write(Json.Read<AnswersData>(line));
            Check(Normal(line) == Normal(again), line + "\nbecomes\n" + again);
        }
    }

    /// <summary>Answers what was recorded.</summary>
    private sealed class Replay : Player
    {
        public readonly Queue<string> Lines = new Queue<string>(Answers);
        public readonly List<Outcome> Outcomes = new List<Outcome>();

        public override Reply Decide(Observation seen, int turn)
        {
            throw new NotSupportedException();
        }

        public override Reply[] Answer(Observation[] decisions, int turn)
        {
            return Json.Read<AnswersData>(Lines.Dequeue()).Answers;
        }

        public override void End(Outcome outcome)
        {
            Outcomes.Add(outcome);
        }
    }

    private static void AnswersAreWrittenAsRecorded()
    {
        var replay = new Replay();
        string[] written = Play(start => replay, Arena);
        Check(written.Select(Normal).SequenceEqual(Answers.Select(Normal)), string.Join("\n", written));
        Check(replay.Outcomes.Count == 1 && replay.Outcomes[0] != null, "the outcome is told");
    }

    private static void UnknownKeysAndMessagesAreIgnored()
    {
        var strange = new List<string>();
        // The end is missing, too: then the end of the input ends the match.
        foreach (string line in Arena.Take(Arena.Length - 1))
        {
            strange.Add("{\"type\":\"news\",\"step\":\"\\\\\\\"}\",\"x\":[-1.5e3,{}]}");
            strange.Add("{\"new_key\":[1,{\"a\":null}], " + line.Substring(1));
        }
        Check(Play(start => new Bot(start), strange).Length == Answers.Length, "an answer for each question");
    }

    private static void RepliesAreLegalAndRepeat()
    {
        for (int seed = 0; seed < 200; seed++)
        {
            var start = Json.Read<Start>(Arena[0]);
            start.Seed = seed;
            var one = new Bot(start);
            var two = new Bot(start);
            foreach (string line in Arena.Skip(1).Take(Arena.Length - 2))
            {
                var question = Json.Read<Decide>(line);
                Reply[] replies = one.Answer(question.Decisions, (int)question.Turn);
                Reply[] again = two.Answer(question.Decisions, (int)question.Turn);
                Check(Json.Write(replies) == Json.Write(again), "replies repeat");
                Check(replies.Length == question.Decisions.Length, "a reply for each decision");
                for (int index = 0; index < replies.Length; index++)
                {
                    string problem = Legal.Problem(start, question.Decisions[index], replies[index]);
                    Check(problem == null, problem + ": " + Json.Write(replies[index]));
                }
            }
        }
    }

    private static void AnotherGameIsRefused()
    {
        try
        {
            Play(start => new Bot(start), new[] { Regex.Replace(Arena[0], "\"game\":\"[a-z]+", "\"game\":\"chess") });
        }
        catch (InvalidDataException error)
        {
            Check(error.Message.EndsWith("not chess"), error.Message);
            return;
        }
        throw new Exception("a bot for another game plays");
    }

    private static void JsonIsRead()
    {
        string text = " { \"a\" : [ ] , \"b\\u00e9\\n\\\"\" : [ 1 , -2.5 , \"\\u0000hex:ff\" , true , { } ] } ";
        string compact = "{\"a\":[],\"b\u00e9\\u000a\\\"\":[1,-2.5,\"\\u0000hex:ff\",true,{}]}";
        Check(Json.Write(Json.Read<object>(text)) == compact, Json.Write(Json.Read<object>(text)));
        foreach (string wrong in new[] { "", "{", "[1,]", "[1}", "\"", "{\"a\"}", "nul", "1 2", "--1", "{\"type\":5}" })
        {
            try
            {
                Json.Read(wrong, wrong.Contains("type") ? typeof(End) : typeof(object));
            }
            catch (FormatException)
            {
                continue;
            }
            throw new Exception(wrong + " is no JSON");
        }
    }

    public static int Main()
    {
        try
        {
            MessagesLoseNothing();
            AnswersAreWrittenAsRecorded();
            UnknownKeysAndMessagesAreIgnored();
            RepliesAreLegalAndRepeat();
            AnotherGameIsRefused();
            JsonIsRead();
            Console.WriteLine("passed");
            return 0;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            return 1;
        }
    }
}
