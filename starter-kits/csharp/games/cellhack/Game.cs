// The messages of cellhack; `agon rules cellhack --schema` explains each field.

public static class Game
{
    public const string Name = "cellhack";
}

/// <summary>The settings of the match.</summary>
public sealed class Rules
{
    public int Width;
    public int Height;
    public int Turns;
    public int EnergyStart;
    public int EnergyMax;
    public int EnergyMin;
    public int EnergyMinSplit;
    public int EatAmount;
    public int RestBase;
    public int RestPerNeighbour;
    public int RestMin;
}

/// <summary>There is nothing to tell.</summary>
public sealed class Setup
{
}

/// <summary>What a cell sees.</summary>
public sealed class Observation
{
    /// <summary>The nine places around it, row by row: 0 empty, 255 rock, else a player's number plus one.</summary>
    public int[] Env;
    /// <summary>255 stands for 255 and more.</summary>
    public int Energy;
    public ulong Memory;
}

/// <summary>What a cell does.</summary>
public sealed class Reply
{
    /// <summary>REST, NOTHING, DIE, or EAT_, MOVE_, SPLIT_, FEED_ with UP, LEFT, RIGHT or DOWN.</summary>
    public string Action;
    /// <summary>Stays as it is where this is null.</summary>
    public ulong? Memory;
}
