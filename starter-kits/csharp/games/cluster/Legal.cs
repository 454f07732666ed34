using System;

/// <summary>Tells what is wrong with a reply; null: nothing.</summary>
public static class Legal
{
    public static string Problem(Start start, Observation seen, Reply reply)
    {
        switch (reply.Action)
        {
            case "ROTATE":
                return reply.Cycles >= 1 && reply.Cycles <= 5 ? null : "1 to 5 cycles";
            case "PLACE":
                bool held = Array.Exists(seen.Hand, color => color == reply.Color);
                bool free = Array.Exists(seen.Columns, column => column.Column == reply.Column);
                return held && free ? null : "not that color into that column";
            default:
                return "no such action";
        }
    }
}
