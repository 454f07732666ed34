//! `agon logs`: the faults and the output of the person's bot in a match.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    thread,
    time::Duration,
};

use agon_client_options::LogsArgs;
use agon_console::{BAD, BOLD, DIM};
use agon_ladder_api::{List, Match, MatchLog, MatchState, MatchSummary, ProblemCode, Seat};
use agon_text::escape;
use anyhow::{Result, bail};
use serde_json::Value;

use crate::{
    api,
    http::{Call, Client},
    places::{self, OwnBot},
    session::Session,
    show::{self, bot_name, indented, print_json},
};

/// How often to look for new matches.
const INTERVAL: Duration = Duration::from_secs(5);

/// The most matches that are looked through for one that was played.
const LOOK: usize = 50;

/// Prints what the bot did in a match, and with `--follow` in each later one.
///
/// # Errors
/// If the server does not send it.
pub(super) fn logs(args: &LogsArgs, out: &mut impl Write) -> Result<()> {
    let session = Session::signed_in(&args.list.server)?;
    let client = &session.client;
    let own = places::own_bot(client, args.arena.as_deref())?;
    let Some(number) = args.number else {
        let mut played = played(client, &own, LOOK)?;
        if played.is_empty() && !args.follow {
            bail!("your bot has played no match yet");
        }
        played.truncate(1);
        return watch(args, client, &own, played, out);
    };
    check_own(client, &own, number)?;
    print(args, client, &own, number, out)
}

/// Checks that a bot of the person played in a match.
fn check_own(client: &Client, own: &OwnBot, number: u64) -> Result<()> {
    let of_match = fetch_match(client, own, number)?;
    if of_match.seats.iter().any(|seat| seat.own) {
        return Ok(());
    }
    bail!(
        "match {number} in {} has none of your bots ({}): `agon matches` lists those of your bot",
        escape(&own.arena),
        players(&of_match).join(" · ")
    )
}

/// Prints matches, and those that come with `--follow`.
fn watch(
    args: &LogsArgs,
    client: &Client,
    own: &OwnBot,
    mut numbers: Vec<u64>,
    out: &mut impl Write,
) -> Result<()> {
    let mut seen: BTreeSet<u64> = BTreeSet::new();
    if args.follow {
        seen.extend(played(client, own, LOOK)?);
    }
    loop {
        for &number in numbers.iter().rev() {
            print(args, client, own, number, out)?;
            out.flush()?;
        }
        if !args.follow {
            return Ok(());
        }
        thread::sleep(INTERVAL);
        numbers = played(client, own, LOOK)?;
        numbers.retain(|number| seen.insert(*number));
    }
}

/// Returns the numbers of the bot's latest matches that are over, the latest first.
fn played(client: &Client, own: &OwnBot, most: usize) -> Result<Vec<u64>> {
    let call =
        Call::get(api::path(&["arenas", &own.arena, "matches"])).query("bot", &own.bot).patient();
    let all: Vec<MatchSummary> = api::list(client, &call, most)?;
    let over = all.iter().filter(|one| one.state != MatchState::Running);
    Ok(over.map(|one| one.number).collect())
}

fn print(
    args: &LogsArgs,
    client: &Client,
    own: &OwnBot,
    number: u64,
    out: &mut impl Write,
) -> Result<()> {
    let text = number.to_string();
    let path = ["arenas", &own.arena, "matches", &text];
    let logs_path = ["arenas", &own.arena, "matches", &text, "logs"];
    if args.list.json {
        let of_match: Value = api::get(client, &path)?;
        print_json(&of_match, out)?;
        let logs: List<Value> = api::get(client, &logs_path)?;
        return Ok(logs.items.iter().try_for_each(|log| print_json(log, out))?);
    }
    let of_match = fetch_match(client, own, number)?;
    let logs: List<MatchLog> = api::get(client, &logs_path)?;
    Ok(print_match(&of_match, &logs.items, out)?)
}

fn fetch_match(client: &Client, own: &OwnBot, number: u64) -> Result<Match> {
    match api::get(client, &["arenas", &own.arena, "matches", &number.to_string()]) {
        Err(error) if api::code(&error) == Some(ProblemCode::NotFound) => {
            Err(error.context(format!(
                "there is no match {number} in {}: `agon matches` lists those of your bot",
                escape(&own.arena)
            )))
        }
        other => other,
    }
}

/// Returns the bots of a match, with their places.
fn players(of_match: &Match) -> Vec<String> {
    let player = |seat: &Seat| {
        let name = seat.bot.as_ref().map_or("?".to_owned(), bot_name);
        let place = seat.place.map_or(String::new(), |place| format!(", place {place}"));
        format!("{name}{place}")
    };
    of_match.seats.iter().map(player).collect()
}

fn print_match(of_match: &Match, logs: &[MatchLog], out: &mut impl Write) -> io::Result<()> {
    let state = match of_match.state {
        MatchState::Played => String::new(),
        _ => format!(" · {}", show::state_of_match(of_match.state)),
    };
    writeln!(
        out,
        "{BOLD}match {}{BOLD:#} · {}{state}",
        of_match.number,
        players(of_match).join(" · ")
    )?;
    for text in [&of_match.ending, &of_match.reason].into_iter().flatten() {
        writeln!(out, "{DIM}{}{DIM:#}", escape(text))?;
    }
    let own: Vec<u32> =
        of_match.seats.iter().filter(|seat| seat.own).map(|seat| seat.seat).collect();
    let faults = of_match.faults.iter().filter(|fault| own.contains(&fault.seat));
    let mut has_faults = false;
    for fault in faults {
        has_faults = true;
        let times = if fault.count > 1 { format!(" ({}×)", fault.count) } else { String::new() };
        writeln!(
            out,
            "\n{BAD}step {}: {}{BAD:#}{times}: {}",
            fault.step,
            escape(&fault.kind),
            escape(&fault.detail)
        )?;
        if let Some(evidence) = &fault.evidence {
            indented(evidence, "  ", out)?;
        }
    }
    if !has_faults {
        writeln!(out, "\nno faults of your bot")?;
    }
    let written = logs.iter().filter(|log| own.contains(&log.seat) && !log.text.is_empty());
    let mut has_written = false;
    for log in written {
        has_written = true;
        writeln!(out, "\n{DIM}your bot wrote to stderr (the last 16 KiB):{DIM:#}")?;
        indented(&log.text, "  ", out)?;
    }
    if !has_written {
        writeln!(out, "\nyour bot wrote nothing to stderr")?;
    }
    writeln!(out, "\n{DIM}{}{DIM:#}", escape(&of_match.page))
}
