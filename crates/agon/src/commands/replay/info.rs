//! `agon replay info FILE`: what a replay holds; with `--bot NAME` all that it knows of one bot.

use std::{borrow::Cow, fs, io::Write, path::Path, time::Duration};

use agon_contest::events::{BotData, Event, RecordedBot, ReplayFacts};
use agon_core::{Fault, Player, did_you_mean, exit_words, signal_words};
use agon_match::replay::{BotTotals, Damage, Header, Replay, Spread, Talk, TurnCost, TurnTalk};
use anyhow::{Result, bail};

use super::open;
use crate::output::{
    BAD, BOLD, DIM, GOOD, duration, grouped, memory, plural, print_event, print_evidence,
    print_table, table, table_of,
};

/// So many characters of what would let a bot play again are shown.
const MAX_SHOWN: usize = 200;

/// Shows game, players, result and faults.
pub(super) fn info(file: &Path, json: bool, out: &mut impl Write) -> Result<()> {
    let (replay, kind) = open(file)?;
    let faults = replay.faults();
    let damage = replay.damage().or(faults.as_ref().err().copied());
    let faults = faults.unwrap_or_default();
    if json {
        return info_json(&replay, &faults, damage, out);
    }
    print_sizes(&replay, fs::metadata(file)?.len(), out)?;
    print_players(&replay, out)?;
    match replay.result() {
        Some(ending) => match &ending.standing.outcome {
            Some(outcome) => writeln!(
                out,
                "{GOOD}{}{GOOD:#}",
                outcome.sentence(|player| name(replay.header(), player))
            )?,
            None => writeln!(
                out,
                "stopped before its end, after {}",
                plural(ending.turns, kind.meta().turn_name)
            )?,
        },
        None => writeln!(out, "{BAD}no result{BAD:#}: the recording ends early")?,
    }
    if let Some(void) = replay.result().and_then(|ending| ending.void) {
        writeln!(out, "{BAD}void{BAD:#}: {void}; the result counts for nothing")?;
    }
    writeln!(out, "{DIM}rules: {}{DIM:#}", replay.header().rules)?;
    for fault in &faults {
        writeln!(out, "{BAD}fault{BAD:#} of {}, {fault}", name(replay.header(), fault.player))?;
    }
    if let Some(damage) = damage {
        writeln!(out, "{BAD}damaged:{BAD:#} {damage}")?;
    }
    Ok(())
}

fn info_json(
    replay: &Replay,
    faults: &[Fault],
    damage: Option<Damage>,
    out: &mut impl Write,
) -> Result<()> {
    let header = replay.header();
    let facts = ReplayFacts {
        game: &header.game,
        rules_version: header.rules_version,
        agon: &header.agon,
        rules: &header.rules,
        seed: header.seed,
        players: &header.players,
        steps: replay.steps(),
        decisions: replay.decisions(),
        result: replay.result(),
        faults,
        damage: damage.map(|damage| damage.to_string()),
    };
    Ok(print_event(Event::Replay(facts), out)?)
}

fn print_sizes(replay: &Replay, bytes: u64, out: &mut impl Write) -> Result<()> {
    let header = replay.header();
    let decisions = replay.decisions();
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} · rules version {} · seed {}",
        header.game, header.rules_version, header.seed
    )?;
    let share = bytes as f64 / decisions.max(1) as f64;
    let sizes =
        [plural(replay.steps(), "step"), plural(decisions, "decision"), plural(bytes, "byte")];
    writeln!(
        out,
        "{}, {share:.2} bytes a decision; recorded by Agon {}\n",
        sizes.join(", "),
        header.agon
    )?;
    Ok(())
}

fn print_players(replay: &Replay, out: &mut impl Write) -> Result<()> {
    let header = replay.header();
    let mut rows = table();
    for (player, bot) in Player::all(header.players.len()).zip(&header.players) {
        let place = replay.result().and_then(|r| r.standing.players.get(player.index()));
        let place =
            place.map_or_else(String::new, |p| format!("place {}, score {}", p.place, p.score));
        rows.add_row([
            format!(" {BOLD}{}{BOLD:#}", bot.name),
            cut(&bot.spec).into_owned(),
            bot.identity(),
            place,
        ]);
    }
    print_table(&rows, out)?;
    Ok(writeln!(out)?)
}

/// A text, or its beginning if it is so long that a table of it could not be read.
fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

fn name(header: &Header, player: Player) -> &str {
    header.players.get(player.index()).map_or("?", |bot| bot.name.as_str())
}

/// So many lines of stderr are shown unless all are wanted: the first and the last ones.
const FIRST_LINES: usize = 10;
const LAST_LINES: usize = 30;

/// Shows place, faults, times, memory, end and stderr of a bot.
pub(super) fn bot(
    file: &Path,
    name: &str,
    all: bool,
    json: bool,
    out: &mut impl Write,
) -> Result<()> {
    let (replay, kind) = open(file)?;
    let players = &replay.header().players;
    let Some(player) =
        Player::all(players.len()).find(|player| players[player.index()].name == name)
    else {
        let names: Vec<&str> = players.iter().map(|info| info.name.as_str()).collect();
        let hint = match did_you_mean(name, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are: {}", names.join(", ")),
        };
        bail!("{}: no bot `{name}` played this match; {hint}", file.display());
    };
    let result = replay.result();
    let faults: Vec<Fault> =
        replay.faults()?.into_iter().filter(|fault| fault.player == player).collect();
    // A file that ends early counts nothing: what it has in detail is all.
    let count = match result {
        Some(ending) => {
            ending.faults.iter().filter(|t| t.player == player).map(|tally| tally.count).sum()
        }
        None => faults.iter().map(|fault| fault.count).sum(),
    };
    let standing = result.and_then(|ending| ending.standing.players.get(player.index()));
    let record = replay.diagnosis()?.and_then(|diagnosis| diagnosis.of(player).cloned());
    let facts = RecordedBot {
        game: &replay.header().game,
        player,
        bot: &players[player.index()],
        standing,
        faults: &faults,
        fault_count: count,
        record: record.as_ref(),
    };
    if json {
        return Ok(print_event(Event::Bot(BotData::Recorded(facts)), out)?);
    }
    print_head(&facts, kind.meta().id, out)?;
    match facts.record {
        Some(record) => {
            print_process(&record.totals, out)?;
            print_times(&record.totals, &record.slowest, out)?;
        }
        None if facts.bot.kind == "builtin" => {
            writeln!(out, "{DIM}a built-in bot has no process{DIM:#}")?
        }
        None => writeln!(
            out,
            "{DIM}times, memory and stderr are not in this replay: it ends early, or an older Agon \
             recorded it{DIM:#}"
        )?,
    }
    print_faults(&facts, out)?;
    facts
        .record
        .map_or(Ok(()), |record| print_talk(&record.stderr, record.totals.stderr_bytes, all, out))
}

fn print_head(facts: &RecordedBot<'_>, game: &str, out: &mut impl Write) -> Result<()> {
    let RecordedBot { player, bot: info, standing, .. } = facts;
    let place = standing.map_or_else(
        || "no result".to_owned(),
        |row| {
            let out = if row.out { ", out" } else { "" };
            format!("place {}, score {}{out}", row.place, row.score)
        },
    );
    writeln!(out, "{BOLD}{}{BOLD:#} · {game}, player {} · {place}", info.name, player.index())?;
    let identity = Some(info.identity()).filter(|identity| !identity.is_empty());
    let identity = identity.map_or_else(String::new, |identity| format!(" {DIM}{identity}{DIM:#}"));
    Ok(writeln!(out, "{}{identity}\n", info.spec)?)
}

/// How it ended and what it used.
fn print_process(totals: &BotTotals, out: &mut impl Write) -> Result<()> {
    let ended = match (totals.signal, totals.exit_status) {
        (Some(signal), _) => signal_words(signal),
        (None, Some(status)) => exit_words(status),
        (None, None) if totals.processes == 0 => "the arena started no process for it".to_owned(),
        (None, None) => "by the arena, when it was not needed any more".to_owned(),
    };
    let times = match totals.processes {
        0 | 1 => String::new(),
        count => format!("; {} processes were started for it", grouped(count)),
    };
    let mut rows = table();
    rows.add_row([format!("{DIM}ended{DIM:#}"), format!("{ended}{times}")]);
    if let Some(peak) = totals.peak_memory {
        rows.add_row([format!("{DIM}memory{DIM:#}"), format!("at most {}", memory(peak))]);
    }
    let answers = format!(
        "{} with {}",
        plural(totals.answers, "answer"),
        plural(totals.decisions, "decision")
    );
    rows.add_row([format!("{DIM}asked{DIM:#}"), answers]);
    if let Some(cpu) = totals.cpu_us {
        let cpu = duration(Duration::from_micros(cpu));
        rows.add_row([format!("{DIM}CPU time{DIM:#}"), format!("{cpu} in all")]);
    }
    Ok(print_table(&rows, out)?)
}

/// How its times are spread, and the slowest answers.
fn print_times(totals: &BotTotals, slowest: &[TurnCost], out: &mut impl Write) -> Result<()> {
    let spreads = [
        ("CPU time a decision", totals.cpu_per_decision),
        ("wall time an answer", totals.wall_per_answer),
    ];
    let mut rows = table_of(["", "mean", "median", "99 %", "most", "in step"], 1..6);
    for (name, spread) in spreads {
        let Some(Spread { mean_ns, median_ns, p99_ns, max_ns, max_step }) = spread else {
            continue;
        };
        let times =
            [mean_ns, median_ns, p99_ns, max_ns].map(|ns| duration(Duration::from_nanos(ns)));
        let cells = [name.to_owned()].into_iter().chain(times).chain([max_step.to_string()]);
        rows.add_row(cells);
    }
    if rows.row_count() > 0 {
        writeln!(out)?;
        print_table(&rows, out)?;
    }
    if slowest.is_empty() {
        return Ok(());
    }
    let mut rows = table_of(["slowest: step", "decisions", "CPU time", "wall time"], 1..4);
    for turn in slowest {
        let time = |us| duration(Duration::from_micros(us));
        let cpu = turn.cpu_us.map_or_else(String::new, time);
        rows.add_row([turn.step.to_string(), turn.decisions.to_string(), cpu, time(turn.wall_us)]);
    }
    writeln!(out)?;
    Ok(print_table(&rows, out)?)
}

fn print_faults(facts: &RecordedBot<'_>, out: &mut impl Write) -> Result<()> {
    if facts.fault_count == 0 {
        return Ok(writeln!(out, "\nno faults")?);
    }
    let shown = facts.faults.iter().map(|fault| fault.count).sum::<u64>();
    let more = if shown < facts.fault_count {
        format!(", the first {shown} in detail")
    } else {
        String::new()
    };
    writeln!(out, "\n{BAD}{}{BAD:#}{more}", plural(facts.fault_count, "fault"))?;
    for fault in facts.faults {
        let times =
            if fault.count == 1 { String::new() } else { format!(", {} times", fault.count) };
        writeln!(out, "  {BOLD}{}{BOLD:#}{times}", fault.kind.words())?;
        print_evidence(fault, out)?;
    }
    Ok(())
}

/// What it wrote to stderr, with the steps.
fn print_talk(talk: &Talk, bytes: u64, all: bool, out: &mut impl Write) -> Result<()> {
    if bytes == 0 {
        return Ok(writeln!(out, "\nno stderr")?);
    }
    writeln!(out, "\n{BOLD}stderr{BOLD:#}, {}", plural(bytes, "byte"))?;
    let mut lines: Vec<String> = talk.first.iter().flat_map(lines_of).collect();
    if talk.left_out.turns > 0 {
        let turns = plural(talk.left_out.turns, "turn");
        let bytes = plural(talk.left_out.bytes, "byte");
        lines.push(format!("  {DIM}… {turns} with {bytes} are not in the replay …{DIM:#}"));
    }
    lines.extend(talk.last.iter().flat_map(lines_of));
    let hidden = lines.len().saturating_sub(FIRST_LINES + LAST_LINES);
    if !all && hidden > 0 {
        let hint =
            format!("  {DIM}… {} more; --stderr shows all …{DIM:#}", plural(hidden as u64, "line"));
        lines.splice(FIRST_LINES..FIRST_LINES + hidden, [hint]);
    }
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}

fn lines_of(talk: &TurnTalk) -> Vec<String> {
    let when =
        talk.step.map_or_else(|| "after its last answer".to_owned(), |step| format!("step {step}"));
    let head = format!("  {DIM}{when}{DIM:#}");
    std::iter::once(head).chain(talk.text.lines().map(|line| format!("    {line}"))).collect()
}
