/// <summary>One player in one match.</summary>
public abstract class Player
{
    /// <summary>The reply to one observation.</summary>
    public abstract Reply Decide(Observation seen, int turn);

    /// <summary>The replies to all observations of a question, in order. Override it to plan for all.</summary>
    public virtual Reply[] Answer(Observation[] decisions, int turn)
    {
        var replies = new Reply[decisions.Length];
        for (int index = 0; index < decisions.Length; index++) replies[index] = Decide(decisions[index], turn);
        return replies;
    }

    /// <summary>The match is over, or the player is out; the outcome may be null.</summary>
    public virtual void End(Outcome outcome)
    {
    }
}
