// The messages of cluster; `agon rules cluster --schema` explains each field.

public static class Game
{
    public const string Name = "cluster";
}

/// <summary>The settings of the match.</summary>
public sealed class Rules
{
    public int Side;
    public int RunLength;
    public int HandSize;
    /// <summary>null stands for the usual number of pellets, see Setup.</summary>
    public int? Bag;
    public long MaxRounds;
}

/// <summary>What never changes.</summary>
public sealed class Setup
{
    /// <summary>Neighbors[cell][direction], -1 beyond the edge.</summary>
    public int[][] Neighbors;
    /// <summary>Tops[column][gravity]: the cell where a pellet enters.</summary>
    public int[][] Tops;
    /// <summary>The two colors of each player.</summary>
    public int[][] Colors;
    /// <summary>Pellets of each color in a full bag.</summary>
    public int Bag;
}

/// <summary>What the player to move sees.</summary>
public sealed class Observation
{
    public int Gravity;
    /// <summary>The color on each cell, -1: empty.</summary>
    public int[] Cells;
    /// <summary>The colors in hand.</summary>
    public int[] Hand;
    /// <summary>The columns that take a pellet.</summary>
    public FreeColumn[] Columns;
    /// <summary>What is left in the own bags, without the hand.</summary>
    public Bag[] Bags;
    /// <summary>Own pellets burnt by rotations so far.</summary>
    public int Burnt;
}

/// <summary>A column that takes a pellet, and the cells where one enters and where it comes to rest.</summary>
public sealed class FreeColumn
{
    public int Column;
    public int Top;
    public int Landing;
}

/// <summary>Pellets of an own color.</summary>
public sealed class Bag
{
    public int Color;
    public int Pellets;
}

/// <summary>A move.</summary>
public sealed class Reply
{
    public string Action;
    public int? Column;
    public int? Color;
    public int? Cycles;

    /// <summary>Lets a pellet fall into a column.</summary>
    public static Reply Place(int column, int color)
    {
        return new Reply { Action = "PLACE", Column = column, Color = color };
    }

    /// <summary>Turns the gravity by 1 to 5 sixths of a full turn.</summary>
    public static Reply Rotate(int cycles)
    {
        return new Reply { Action = "ROTATE", Cycles = cycles };
    }

    /// <summary>Gives the game up.</summary>
    public static Reply Forfeit()
    {
        return new Reply { Action = "FORFEIT" };
    }
}
