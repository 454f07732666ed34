using System;
using System.Collections.Generic;

/// <summary>Tells what is wrong with a reply; null: nothing.</summary>
public static class Legal
{
    public static string Problem(Start start, Observation seen, Reply reply)
    {
        var own = new HashSet<Tuple<int, int>>();
        foreach (SeenCell cell in seen.Cells)
        {
            if (cell.Owner == start.Player) own.Add(Tuple.Create(cell.X, cell.Y));
        }
        foreach (Move move in reply.Moves)
        {
            if (move.Direction < 0 || move.Direction > 3) return "directions are 0 to 3";
            if (!own.Remove(Tuple.Create(move.X, move.Y))) return "that is no own cell, or moved twice";
            int x = move.X + Bot.Ways[move.Direction, 0];
            int y = move.Y + Bot.Ways[move.Direction, 1];
            if (!start.Rules.OnField(x, y)) return "that leads off the field";
        }
        return null;
    }
}
