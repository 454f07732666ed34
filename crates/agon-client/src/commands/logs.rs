//! `agon logs`: the faults of your bot in a match, and what it wrote. Organisers see both of all
//! bots.

use std::io::{self, Write};
use std::{collections::BTreeSet, thread, time::Duration};

use agon_console::{BAD, BOLD, DIM, client_options::LogsArgs};
use agon_core::text::escape;
use agon_ladder::api::{
    Fault, List, Match, MatchLog, MatchState, MatchSummary, ProblemCode, Role, Seat,
};
use anyhow::{Result, bail};
use serde_json::Value;

use crate::api::{self, OwnBot};
use crate::http::{Call, Client};
use crate::session::Session;
use crate::show::{self, bot_name, indented, print_json};

/// How often to look for new matches.
const INTERVAL: Duration = Duration::from_secs(5);

/// The most matches that are looked through for one that was played.
const LOOK: usize = 50;

/// Prints what the bot did in a match, and with `--follow` in each later one.
pub(super) fn logs(args: &LogsArgs, out: &mut impl Write) -> Result<()> {
    let session = Session::signed_in(&args.list.server)?;
    let client = &session.client;
    if let Some(number) = args.number
        && api::me(client)?.role >= Role::Organiser
    {
        let arena = any_arena(client, args.arena.as_deref())?;
        fetch_match(client, &arena, number)?;
        return print(args, client, &arena, number, true, out);
    }
    let own = api::own_bot(client, args.arena.as_deref())?;
    let Some(number) = args.number else {
        let mut played = played(client, &own, LOOK)?;
        if played.is_empty() && !args.follow {
            bail!("your bot has played no match yet");
        }
        played.truncate(1);
        return watch(args, client, &own, played, out);
    };
    check_own(client, &own, number)?;
    print(args, client, &own.arena, number, false, out)
}

/// Returns the arena that an organiser means, with or without an own bot.
fn any_arena(client: &Client, name: Option<&str>) -> Result<String> {
    match api::own_bots(client, name)?.as_slice() {
        [only] => Ok(only.arena.clone()),
        _ => api::arena(client, name),
    }
}

/// Checks that a bot of the person played in a match.
fn check_own(client: &Client, own: &OwnBot, number: u64) -> Result<()> {
    let of_match = fetch_match(client, &own.arena, number)?;
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
            print(args, client, &own.arena, number, false, out)?;
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

/// Prints the faults and output of a match: organisers see all bots, others only their own.
fn print(
    args: &LogsArgs,
    client: &Client,
    arena: &str,
    number: u64,
    of_all: bool,
    out: &mut impl Write,
) -> Result<()> {
    let text = number.to_string();
    let path = ["arenas", arena, "matches", &text];
    let logs_path = ["arenas", arena, "matches", &text, "logs"];
    if args.list.json {
        let of_match: Value = api::get(client, &path)?;
        print_json(&of_match, out)?;
        let logs: List<Value> = api::get(client, &logs_path)?;
        return Ok(logs.items.iter().try_for_each(|log| print_json(log, out))?);
    }
    let of_match = fetch_match(client, arena, number)?;
    let logs: List<MatchLog> = api::get(client, &logs_path)?;
    Ok(print_match(&of_match, &logs.items, of_all, out)?)
}

fn fetch_match(client: &Client, arena: &str, number: u64) -> Result<Match> {
    match api::get(client, &["arenas", arena, "matches", &number.to_string()]) {
        // What the server says of a page in a browser does not help here.
        Err(error) if api::code(&error) == Some(ProblemCode::NotFound) => bail!(
            "there is no match {number} in {}: `agon matches` lists those of your bot",
            escape(arena)
        ),
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

fn print_match(
    of_match: &Match,
    logs: &[MatchLog],
    of_all: bool,
    out: &mut impl Write,
) -> io::Result<()> {
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
    let shown = of_match.seats.iter().filter(|seat| of_all || seat.own);
    for seat in shown {
        let name = match (of_all, &seat.bot) {
            (true, Some(bot)) => bot_name(bot),
            (true, None) => format!("seat {}", u64::from(seat.seat) + 1),
            (false, _) => "your bot".to_owned(),
        };
        print_faults(of_match, seat.seat, &name, out)?;
        let written = logs.iter().filter(|log| log.seat == seat.seat && !log.text.is_empty());
        match written.map(|log| &log.text).next() {
            Some(text) => {
                writeln!(out, "\n{DIM}{name} wrote to stderr (the last 16 KiB):{DIM:#}")?;
                indented(text, "  ", out)?;
            }
            None => writeln!(out, "\n{name} wrote nothing to stderr")?,
        }
    }
    writeln!(out, "\n{DIM}{}{DIM:#}", escape(&of_match.page))
}

/// Prints the faults of a seat, whose bot has a name.
fn print_faults(of_match: &Match, seat: u32, name: &str, out: &mut impl Write) -> io::Result<()> {
    let faults: Vec<&Fault> = of_match.faults.iter().filter(|fault| fault.seat == seat).collect();
    if faults.is_empty() {
        writeln!(out, "\nno faults of {name}")?;
    }
    for fault in faults {
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
    Ok(())
}
