//! `agon leaderboard`: the table of an arena.

use std::io::Write;

use agon_console::client_options::LeaderboardArgs;
use agon_console::{BOLD, DIM, GOOD, print_table, table};
use agon_ladder::api::{Leaderboard, LeaderboardRow};
use agon_text::{escape, number::plural};
use anyhow::Result;
use serde_json::Value;

use crate::{
    api,
    http::Call,
    places,
    session::Session,
    show::{bot_name, elo, print_json, rank, right, tally},
};

/// Prints the table.
///
/// # Errors
/// If the server does not send it.
pub(super) fn leaderboard(args: &LeaderboardArgs, out: &mut impl Write) -> Result<()> {
    let session = Session::open(&args.list.server)?;
    let client = &session.client;
    let arena = places::arena(client, args.arena.as_deref())?;
    let kind = if args.published { "published" } else { "live" };
    let call = Call::get(api::path(&["arenas", &arena, "leaderboard"])).query("table", kind);
    let most = args.limit as usize;
    if args.list.json {
        let rows: Vec<Value> = api::list(client, &call, most)?;
        return Ok(rows.iter().try_for_each(|row| print_json(row, out))?);
    }
    let head: Leaderboard = api::fetch(client, &call.clone().query("limit", "1"))?;
    let rows: Vec<LeaderboardRow> = api::list(client, &call, most)?;
    let as_of = head.as_of.as_deref().map(|time| format!(", as of {}", escape(time)));
    let bots = plural(head.total, "bot");
    let title = format!("{}: {bots}, {kind} table{}", escape(&arena), as_of.unwrap_or_default());
    writeln!(out, "{BOLD}{title}{BOLD:#}\n")?;
    if rows.is_empty() {
        let why = match args.published {
            true => "nothing was published yet",
            false => "no bot plays yet",
        };
        return Ok(writeln!(out, "{why}")?);
    }
    print_rows(&rows, out)?;
    if rows.iter().any(|row| row.owed > 0) {
        let least = plural(head.ranks.least.into(), "match");
        writeln!(
            out,
            "\n{DIM}–: a version has a rank after {least}, and after as many more if it \
             plays again{DIM:#}"
        )?;
    }
    if (rows.len() as u64) < head.total {
        writeln!(out, "\n{DIM}--limit {} shows all{DIM:#}", head.total)?;
    }
    Ok(())
}

fn print_rows(rows: &[LeaderboardRow], out: &mut impl Write) -> Result<()> {
    let mut shown = table();
    let names =
        ["rank", "bot", "author", "rating", "matches", "won–tied–lost", "faults", "language"];
    shown.set_header(names.map(|name| format!("{DIM}{name}{DIM:#}")));
    for row in rows {
        let own = rank(row.rank);
        let ranks = match row.ranks {
            Some(ranks) if ranks.best != ranks.worst => {
                format!("{own} ({}–{})", ranks.best, ranks.worst)
            }
            _ => own,
        };
        let style = if row.own { GOOD } else { BOLD };
        let author = row.bot.author.as_deref().unwrap_or("Agon");
        shown.add_row([
            ranks,
            format!("{style}{}{style:#}", bot_name(&row.bot)),
            escape(author).into_owned(),
            elo(row.rating),
            row.matches.to_string(),
            tally(&row.tally),
            row.faults.to_string(),
            escape(&row.language).into_owned(),
        ]);
    }
    right(&mut shown, &[0, 3, 4, 5, 6]);
    Ok(print_table(&shown, out)?)
}
