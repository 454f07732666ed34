using System;

/// <summary>A random player: any pellet in hand into any column that takes one.</summary>
public sealed class Bot : Player
{
    private readonly Random random;

    public Bot(Start start)
    {
        random = new Random((int)(start.Seed % int.MaxValue));
    }

    /// <summary>The move of this turn.</summary>
    public override Reply Decide(Observation seen, int turn)
    {
        // The board may be full where pellets enter: then turn it.
        if (seen.Columns.Length == 0) return Reply.Rotate(random.Next(1, 6));
        ColumnData free = seen.Columns[random.Next(seen.Columns.Length)];
        return Reply.Place(free.Column, seen.Hand[random.Next(seen.Hand.Length)]);
    }
}
