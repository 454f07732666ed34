using System;
using System.Collections.Generic;

/// <summary>A random army: half of every stack goes somewhere on the field.</summary>
public sealed class Bot : Player
{
    /// <summary>The way of each direction: up, right, down, left.</summary>
    public static readonly int[,] Ways = { { 0, -1 }, { 1, 0 }, { 0, 1 }, { -1, 0 } };

    private readonly Start start;
    private readonly Random random;

    public Bot(Start start)
    {
        this.start = start;
        random = new Random((int)(start.Seed % int.MaxValue));
    }

    /// <summary>The moves of this turn.</summary>
    public override Reply Decide(Observation seen, int turn)
    {
        var moves = new List<Move>();
        foreach (SeenCell cell in seen.Cells)
        {
            if (cell.Owner != start.Player || cell.Units < 2) continue;
            var directions = new List<int>();
            for (int direction = 0; direction < 4; direction++)
            {
                int x = cell.X + Ways[direction, 0];
                int y = cell.Y + Ways[direction, 1];
                if (start.Rules.OnField(x, y)) directions.Add(direction);
            }
            if (directions.Count == 0) continue;
            moves.Add(new Move { X = cell.X, Y = cell.Y, Direction = directions[random.Next(directions.Count)] });
        }
        return new Reply { Moves = moves.ToArray() };
    }
}

/// <summary>What the army asks of the rules.</summary>
public sealed partial class Rules
{
    /// <summary>Whether a place is on the field: who leaves it is lost.</summary>
    public bool OnField(int x, int y)
    {
        return 0 <= x && x < FieldWidth && 0 <= y && y < FieldHeight;
    }
}
