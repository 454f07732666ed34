// The messages of binfection; `agon rules binfection --schema` explains each field.

public static class Game
{
    public const string Name = "binfection";
}

/// <summary>The settings of the match.</summary>
public sealed class Rules
{
    public int TurnsLimit;
    public int FieldWidth;
    public int FieldHeight;
    public int SpawnBorderGap;
    public int SpawnsDistance;
    public int SpawnsNumber;
    public long WarriorsInitNumber;
    public long WarriorsLimit;
    public long GrowCoefficient;

    /// <summary>Whether a place is on the field: who leaves it is lost.</summary>
    public bool OnField(int x, int y)
    {
        return 0 <= x && x < FieldWidth && 0 <= y && y < FieldHeight;
    }
}

/// <summary>There is nothing to tell.</summary>
public sealed class Setup
{
}

/// <summary>All own cells and their neighbors, row by row.</summary>
public sealed class Observation
{
    public Cell[] Cells;
}

/// <summary>A cell and what is on it.</summary>
public sealed class Cell
{
    public int X;
    public int Y;
    /// <summary>A player's number, -1: nobody.</summary>
    public int Owner;
    public long Units;
}

/// <summary>At most one move for each own cell; the array may be empty, but not null.</summary>
public sealed class Reply
{
    public Move[] Moves;
}

/// <summary>Sends half of a cell's units one cell further.</summary>
public sealed class Move
{
    public int X;
    public int Y;
    /// <summary>0 up, 1 right, 2 down, 3 left.</summary>
    public int Direction;
}
