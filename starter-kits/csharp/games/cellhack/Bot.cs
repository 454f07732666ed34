using System;
using System.Collections.Generic;

/// <summary>A random colony: every cell does something that is possible where it is.</summary>
public sealed class Bot : Player
{
    public const int Center = 4;
    public const int Empty = 0;
    public const int Rock = 255;

    /// <summary>A direction: where that neighbor is in a cell's Env, and what can be done there.</summary>
    public sealed class Way
    {
        public readonly int Place;
        public readonly Action Eat;
        public readonly Action Move;
        public readonly Action Split;
        public readonly Action Feed;

        public Way(string name, int place)
        {
            Place = place;
            Eat = Parse("Eat" + name);
            Move = Parse("Move" + name);
            Split = Parse("Split" + name);
            Feed = Parse("Feed" + name);
        }

        private static Action Parse(string name)
        {
            return (Action)Enum.Parse(typeof(Action), name);
        }
    }

    public static readonly Way[] Ways = { new Way("Up", 1), new Way("Left", 3), new Way("Right", 5), new Way("Down", 7) };

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
        var actions = new List<Action> { Action.Rest };
        foreach (Way way in Ways)
        {
            int there = seen.Env[way.Place];
            if (there == Empty)
            {
                actions.Add(way.Move);
                if (seen.Energy > start.Rules.EnergyMinSplit) actions.Add(way.Split);
            }
            else if (there != seen.Env[Center] && there != Rock)
            {
                actions.Add(way.Eat);
            }
        }
        // The memory counts the turns that the cell and its ancestors have seen; nothing else lasts.
        return new Reply { Action = actions[random.Next(actions.Count)], Memory = seen.Memory + 1 };
    }
}
