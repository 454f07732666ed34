using System;

/// <summary>Tells what is wrong with a reply; null: nothing.</summary>
public static class Legal
{
    public static string Problem(Start start, Observation seen, Reply reply)
    {
        string[] words = reply.Action.Split('_');
        if (Array.IndexOf(new[] { "REST", "NOTHING", "DIE" }, reply.Action) >= 0) return null;
        int place;
        if (words.Length != 2 || !Bot.Places.TryGetValue(words[1], out place)) return "no such direction";
        int there = seen.Env[place];
        switch (words[0])
        {
            case "MOVE":
                return there == Bot.Empty ? null : "the place is taken";
            case "SPLIT":
                bool rich = seen.Energy > start.Rules.EnergyMinSplit;
                return there == Bot.Empty && rich ? null : "no place or energy to split";
            case "EAT":
            case "FEED":
                return there != Bot.Empty && there != Bot.Rock ? null : "there is no cell";
            default:
                return "no such action";
        }
    }
}
