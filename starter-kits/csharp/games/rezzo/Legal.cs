/// <summary>Tells what is wrong with a reply; null: nothing.</summary>
public static class Legal
{
    public static string Problem(Start start, Observation seen, Reply reply)
    {
        char ahead = seen.Rows[11][6];
        switch (reply.Action)
        {
            case "NOP":
            case "TURN_LEFT":
            case "TURN_RIGHT":
                return null;
            case "ADVANCE":
            case "BUILD":
                return ahead == ' ' ? null : "the way is blocked";
            case "HIT":
                return Bot.Hittable.IndexOf(ahead) >= 0 ? null : "nothing to hit";
            default:
                return "no such action";
        }
    }
}
