/// <summary>Tells what is wrong with a reply; null: nothing.</summary>
public static class Legal
{
    public static string Problem(Start start, Observation seen, Reply reply)
    {
        Action action = reply.Action;
        if (action == Action.Rest || action == Action.Nothing || action == Action.Die) return null;
        foreach (Bot.Way way in Bot.Ways)
        {
            int there = seen.Env[way.Place];
            if (action == way.Move) return there == Bot.Empty ? null : "the place is taken";
            if (action == way.Split)
            {
                bool rich = seen.Energy > start.Rules.EnergyMinSplit;
                return there == Bot.Empty && rich ? null : "no place or energy to split";
            }
            if (action == way.Eat || action == way.Feed)
            {
                return there != Bot.Empty && there != Bot.Rock ? null : "there is no cell";
            }
        }
        return "no such action";
    }
}
