/// <summary>The first message.</summary>
public sealed class Start
{
    public string Type;
    public int Protocol;
    public string Game;
    public int RulesVersion;
    public Rules Rules;
    public string[] Players;
    /// <summary>The bot's own number.</summary>
    public int Player;
    /// <summary>For random choices: the same whenever the match is played again.</summary>
    public long Seed;
    public Setup Setup;
}

/// <summary>A question.</summary>
public sealed class Decide
{
    public string Type;
    public long Step;
    public int Turn;
    public Observation[] Decisions;
}

/// <summary>The answer to a question.</summary>
public sealed class AnswerMessage
{
    public long Step;
    public Reply[] Answers;
}

/// <summary>The last message.</summary>
public sealed class End
{
    public string Type;
    public Outcome Outcome;
}

/// <summary>Who won, and why.</summary>
public sealed class Outcome
{
    public int[] Winners;
    public string Reason;
}
