/// <summary>Tells what is wrong with a reply; null: nothing.</summary>
public static class Legal
{
    public static string Problem(Start start, Observation seen, Reply reply)
    {
        char ahead = seen.Rows[11][6];
        switch (reply.Action)
        {
            case Action.Nop:
            case Action.TurnLeft:
            case Action.TurnRight:
                return null;
            case Action.Advance:
            case Action.Build:
                return ahead == ' ' ? null : "the way is blocked";
            case Action.Hit:
                return Bot.Hittable.IndexOf(ahead) >= 0 ? null : "nothing to hit";
            default:
                return "no such action";
        }
    }
}
