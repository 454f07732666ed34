using System;
using System.Collections.Generic;

/// <summary>A random species: each amoeba rests half of the time, and else does something that is possible.</summary>
public sealed class Bot : Player
{
    private readonly Start start;
    private readonly Random random;

    public Bot(Start start)
    {
        this.start = start;
        random = new Random((int)(start.Seed % int.MaxValue));
    }

    /// <summary>What one amoeba does.</summary>
    public override Reply Decide(Observation seen, int turn)
    {
        Rules rules = start.Rules;
        var replies = new List<Reply>();
        // Directions are numbers from 0, north-west, clockwise; the setup has the way that each goes.
        int[][] directions = start.Setup.Directions;
        for (int dir = 0; dir < directions.Length; dir++)
        {
            Other other = seen.At(directions[dir]);
            if (other == null)
            {
                if (seen.Energy >= rules.MoveEnergy) replies.Add(Reply.Move(dir));
                if (seen.Energy >= rules.MinDivideEnergy) replies.Add(Reply.Divide(dir));
            }
            else if (other.Species != start.Player && seen.Energy >= rules.HitEnergy)
            {
                replies.Add(Reply.Hit(dir));
            }
        }
        if (replies.Count == 0 || random.Next(2) == 0) return Reply.Rest();
        return replies[random.Next(replies.Count)];
    }
}

/// <summary>What the species asks of an observation.</summary>
public sealed partial class Observation
{
    /// <summary>The other amoeba on a cell, or null.</summary>
    public Other At(int[] way)
    {
        foreach (Other other in Others)
        {
            if (other.Dx == way[0] && other.Dy == way[1]) return other;
        }
        return null;
    }
}
