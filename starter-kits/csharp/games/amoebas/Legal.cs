/// <summary>Tells what is wrong with a reply; null: nothing.</summary>
public static class Legal
{
    public static string Problem(Start start, Observation seen, Reply reply)
    {
        if (reply.Cmd == "rest") return null;
        if (!(reply.Dir >= 0 && reply.Dir <= 7)) return "directions are 0 to 7";
        bool occupied = seen.At(start.Setup.Directions[reply.Dir.Value]) != null;
        switch (reply.Cmd)
        {
            case "move":
                return !occupied && seen.Energy >= start.Rules.MoveEnergy ? null : "cannot move there";
            case "hit":
                return occupied && seen.Energy >= start.Rules.HitEnergy ? null : "cannot hit there";
            case "divide":
                return !occupied && seen.Energy >= start.Rules.MinDivideEnergy ? null : "cannot divide there";
            default:
                return "no such command";
        }
    }
}
