using System;
using System.Collections.Generic;

/// <summary>A random colony: every cell does something that is possible where it is.</summary>
public sealed class Bot : Player
{
    public const int Center = 4;
    public const int Empty = 0;
    public const int Rock = 255;

    /// <summary>Where a cell's neighbors are in its Env.</summary>
    public static readonly Dictionary<string, int> Places = new Dictionary<string, int>
    {
        { "UP", 1 }, { "LEFT", 3 }, { "RIGHT", 5 }, { "DOWN", 7 },
    };

    private readonly Start start;
    private readonly Random random;

    public Bot(Start start)
    {
        this.start = start;
        random = new Random((int)(start.Seed % int.MaxValue));
    }

    /// <summary>What one cell does.</summary>
    public override Reply Decide(Observation seen, int turn)
    {
        var actions = new List<string> { "REST" };
        foreach (KeyValuePair<string, int> way in Places)
        {
            int there = seen.Env[way.Value];
            if (there == Empty)
            {
                actions.Add("MOVE_" + way.Key);
                if (seen.Energy > start.Rules.EnergyMinSplit) actions.Add("SPLIT_" + way.Key);
            }
            else if (there != seen.Env[Center] && there != Rock)
            {
                actions.Add("EAT_" + way.Key);
            }
        }
        // The memory counts the turns that the cell and its ancestors have seen; nothing else lasts.
        return new Reply { Action = actions[random.Next(actions.Count)], Memory = seen.Memory + 1 };
    }
}
