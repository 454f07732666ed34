using System;
using System.Collections.Generic;

/// <summary>A random agent: anything that is possible in front of it.</summary>
public sealed class Bot : Player
{
    /// <summary>Wires, signals and flags: they vanish after some hits.</summary>
    public const string Hittable = ".*,~ABCDEFGHIJ";

    private readonly Random random;

    public Bot(Start start)
    {
        random = new Random((int)(start.Seed % int.MaxValue));
    }

    /// <summary>The action of this tick.</summary>
    public override Reply Decide(Observation seen, int turn)
    {
        char ahead = seen.Rows[11][6];
        var actions = new List<Action> { Action.Nop, Action.TurnLeft, Action.TurnRight };
        if (ahead == ' ') actions.AddRange(new[] { Action.Advance, Action.Build });
        else if (Hittable.IndexOf(ahead) >= 0) actions.Add(Action.Hit);
        return new Reply { Action = actions[random.Next(actions.Count)] };
    }
}
