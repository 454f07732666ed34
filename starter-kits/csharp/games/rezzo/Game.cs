// The messages of rezzo; `agon rules rezzo --schema` explains each field.

public static class Game
{
    public const string Name = "rezzo";
}

/// <summary>The settings of the match.</summary>
public sealed class Rules
{
    public int Width;
    public int Height;
    public long MaxTicks;
    public int DamageLimit;
    public string FlagDissolves;
    public string BaseOf;
    public string[] Map;
    public int GridStep;
    public int DensityDivisor;
    public int LoopArea;
    public int LoopMin;
    public int LoopMax;
}

/// <summary>The characters of what is one's own.</summary>
public sealed class Setup
{
    public string Agent;
    public string Flag;
    public string Geyser;
    public string Base;
}

/// <summary>What an agent sees.</summary>
public sealed class Observation
{
    /// <summary>What became of the previous answer: OK, NO_MESSAGE, INVALID, GARBAGE, SEVERAL.</summary>
    public string Ack;
    /// <summary>The 13x13 cells ahead, the farthest row first; the agent is Rows[12][6].</summary>
    public string[] Rows;
    /// <summary>The damage of the same cells.</summary>
    public int[][] Damage;
}

/// <summary>The action of an agent.</summary>
public sealed class Reply
{
    /// <summary>NOP, ADVANCE, TURN_LEFT, TURN_RIGHT, BUILD or HIT.</summary>
    public string Action;
}
