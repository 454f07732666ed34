// The messages of amoebas; `agon rules amoebas --schema` explains each field.

public static class Game
{
    public const string Name = "amoebas";
}

/// <summary>The settings of the match.</summary>
public sealed class Rules
{
    public int WorldSize;
    public int SunEnergy;
    public int MaxCellEnergy;
    public int ViewDistance;
    public int MaxAmoebaEnergy;
    public int RestEnergy;
    public int MoveEnergy;
    public int HitEnergy;
    public int MaxFuelingEnergy;
    public int MinDivideEnergy;
    public int DivideEnergyLoss;
    public int MaxAmoebaHealth;
    public int HitLoss;
    public int RecoveryGain;
    public int Rounds;
    public int DataLimit;
}

/// <summary>How places relate to an amoeba.</summary>
public sealed class Setup
{
    /// <summary>The way (dx, dy) of each direction.</summary>
    public int[][] Directions;
    /// <summary>The way to each cell of the window.</summary>
    public int[][] Window;
}

/// <summary>What an amoeba sees.</summary>
public sealed class Observation
{
    public int Energy;
    public int Health;
    public string Data;
    /// <summary>null: the original one of the species.</summary>
    public string Function;
    /// <summary>The fuel of each cell of the window.</summary>
    public int[] Fuel;
    public Other[] Others;

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

/// <summary>Another amoeba in the window; its species is a player's number.</summary>
public sealed class Other
{
    public int Dx;
    public int Dy;
    public int Species;
    public int Energy;
    public int Health;
    public string Data;
}

/// <summary>What an amoeba does; without data its old ones are forgotten.</summary>
public sealed class Reply
{
    public string Cmd;
    public int? Dir;
    public string Data;
    /// <summary>The child's function; null: the parent's.</summary>
    public string Function;
    public string ChildData;

    /// <summary>Eats and recovers.</summary>
    public static Reply Rest()
    {
        return new Reply { Cmd = "rest" };
    }

    /// <summary>Goes to an empty neighboring cell.</summary>
    public static Reply Move(int dir)
    {
        return new Reply { Cmd = "move", Dir = dir };
    }

    /// <summary>Hurts the amoeba on a neighboring cell.</summary>
    public static Reply Hit(int dir)
    {
        return new Reply { Cmd = "hit", Dir = dir };
    }

    /// <summary>Puts a child on an empty neighboring cell.</summary>
    public static Reply Divide(int dir)
    {
        return new Reply { Cmd = "divide", Dir = dir };
    }
}
