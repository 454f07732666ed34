//! `agon matches`: the matches of a bot, or of an arena.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use agon_console::client_options::{LeaderboardArgs, MatchesArgs, StatusArgs};
use agon_console::{BAD, BOLD, DIM, GOOD, PLAIN, print_table, table_of};
use agon_core::{text::escape, text::number::plural};
use agon_ladder::api::{
    Bot, BotState, Leaderboard, LeaderboardRow, MatchSummary, Phase, VersionState, VersionSummary,
};
use anyhow::Result;
use serde_json::Value;

use crate::http::{Call, Client};
use crate::show::{self, bot_name, elo, print_json, rank, state, tally};
use crate::{Exit, api, session::Session};

/// Lists matches.
pub(super) fn matches(args: &MatchesArgs, out: &mut impl Write) -> Result<()> {
    let session = Session::open(&args.list.server)?;
    let client = &session.client;
    let (arena, bot) = place(args, client)?;
    let mut call = Call::get(api::path(&["arenas", &arena, "matches"]));
    if let Some(bot) = &bot {
        call = call.query("bot", bot);
    }
    let most = args.limit as usize;
    if args.list.json {
        let all: Vec<Value> = api::list(client, &call, most)?;
        return Ok(all.iter().try_for_each(|one| print_json(one, out))?);
    }
    let all: Vec<MatchSummary> = api::list(client, &call, most)?;
    if all.is_empty() {
        return Ok(writeln!(out, "no matches yet")?);
    }
    Ok(show::matches(&all, bot.as_deref(), out)?)
}

/// Returns the arena, and the bot if matches of one are wanted.
fn place(args: &MatchesArgs, client: &Client) -> Result<(String, Option<String>)> {
    let arena = args.arena.as_deref();
    if let Some(name) = &args.bot {
        let arena = api::arena(client, arena)?;
        let bot = api::bot(client, &arena, name)?.slug;
        return Ok((arena, Some(bot)));
    }
    if args.all || !client.has_token() {
        return Ok((api::arena(client, arena)?, None));
    }
    let own = api::own_bot(client, arena)?;
    Ok((own.arena, Some(own.bot)))
}

/// Prints the table.
pub(super) fn leaderboard(args: &LeaderboardArgs, out: &mut impl Write) -> Result<()> {
    let session = Session::open(&args.list.server)?;
    let client = &session.client;
    let arena = api::arena(client, args.arena.as_deref())?;
    let kind = if args.published { "published" } else { "live" };
    let call = Call::get(api::path(&["arenas", &arena, "leaderboard"])).query("table", kind);
    let most = args.limit as usize;
    if args.list.json {
        let rows: Vec<Value> = api::list(client, &call, most)?;
        return Ok(rows.iter().try_for_each(|row| print_json(row, out))?);
    }
    let head: Leaderboard = api::fetch(client, &call.clone().query("limit", "1"))?;
    let rows: Vec<LeaderboardRow> = api::list(client, &call, most)?;
    let as_of = head.as_of.map(|time| format!(", as of {}", time.machine()));
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
    let names =
        ["rank", "bot", "author", "rating", "matches", "won–tied–lost", "faults", "language"];
    let mut shown = table_of(names, [0, 3, 4, 5, 6]);
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
    Ok(print_table(&shown, out)?)
}

/// A bot with its latest version.
struct Shown {
    arena: String,
    bot: Bot,
    latest: Option<VersionSummary>,
    /// Whether no more matches are played in the arena.
    is_over: bool,
}

impl Shown {
    /// Returns whether the author has to do something before the bot plays. When the season is
    /// over, nobody can do anything, and nothing is wrong.
    fn needs_author(&self) -> bool {
        !self.is_over && self.bot.summary.state != BotState::Playing
    }
}

/// Prints the bots.
pub(super) fn status(args: &StatusArgs, out: &mut impl Write) -> Result<Exit> {
    let session = Session::signed_in(&args.list.server)?;
    let client = &session.client;
    let bots = api::own_bots(client, args.arena.as_deref())?;
    let arenas = api::arenas(client)?;
    let over = arenas.iter().filter(|arena| arena.phase == Phase::Over);
    let over: BTreeSet<&str> = over.map(|arena| arena.slug.as_str()).collect();
    let mut shown = Vec::new();
    for own in bots {
        let path = ["arenas", &own.arena, "bots", &own.bot.bot.slug];
        if args.list.json {
            print_json(&api::get::<BTreeMap<String, Value>>(client, &path)?, out)?;
        }
        let bot: Bot = api::get(client, &path)?;
        let latest = api::latest_version(client, &own.arena, &own.bot.bot.slug)?;
        let is_over = over.contains(own.arena.as_str());
        shown.push(Shown { arena: own.arena, bot, latest, is_over });
    }
    if !args.list.json {
        print(&shown, out)?;
    }
    let is_wrong = shown.iter().any(Shown::needs_author);
    Ok(if is_wrong { Exit::Negative } else { Exit::Done })
}

fn print(all: &[Shown], out: &mut impl Write) -> io::Result<()> {
    if all.is_empty() {
        return writeln!(out, "you have no bot there yet: `agon submit` hands one in");
    }
    let names = ["arena", "bot", "state", "rank", "rating", "matches", "won–tied–lost", "faults"];
    let mut rows = table_of(names, 3..8);
    for Shown { arena, bot, latest, is_over } in all {
        let facts = &bot.summary;
        let state = match is_over {
            true => "season over",
            false => state(facts.state, latest.as_ref().map(|version| version.state)),
        };
        let style = match facts.state {
            _ if *is_over => PLAIN,
            BotState::Playing => GOOD,
            BotState::NoVersion if state != "failed" => PLAIN,
            _ => BAD,
        };
        rows.add_row([
            escape(arena).into_owned(),
            format!("{BOLD}{}{BOLD:#}", bot_name(&facts.bot)),
            format!("{style}{state}{style:#}"),
            rank(facts.rank),
            elo(facts.rating),
            facts.matches.to_string(),
            tally(&facts.tally),
            facts.faults.to_string(),
        ]);
    }
    print_table(&rows, out)?;
    all.iter().try_for_each(|one| print_words(one, out))
}

/// Prints what the author should know about a bot.
fn print_words(shown: &Shown, out: &mut impl Write) -> io::Result<()> {
    let Shown { arena, bot, latest, is_over } = shown;
    let name = format!("{BOLD}{}{BOLD:#} in {}", escape(&bot.summary.bot.name), escape(arena));
    let why = bot.waiting.as_ref().or(bot.summary.reason.as_ref());
    if *is_over {
        // Why a bot was stopped before the end does not matter any more.
        let is_last = |_: &&String| bot.summary.state == BotState::Playing;
        let why = why.filter(is_last).map_or("The season is over.", String::as_str);
        writeln!(out, "\n{name} plays no more matches: {}", escape(why))?;
    } else if let Some(why) = why {
        writeln!(out, "\n{name} does not play: {}", escape(why))?;
    }
    if bot.summary.owed > 0 && !is_over && bot.summary.state == BotState::Playing {
        let owed = plural(bot.summary.owed, "match");
        writeln!(out, "\n{name} has a rank once it has played {owed}")?;
    }
    if let Some(version) = latest
        && version.state == VersionState::Failed
        && bot.summary.bot.version != Some(version.number)
        // The reason of a bot without a version that can play says it already.
        && (bot.summary.state != BotState::NoVersion || why.is_none())
    {
        writeln!(out, "\n{name}: version {} {BAD}failed{BAD:#}", version.number)?;
    }
    if !bot.fault_kinds.is_empty() {
        let kinds = bot.fault_kinds.iter().take(5);
        let kinds: Vec<String> =
            kinds.map(|kind| format!("{}× {}", kind.count, escape(&kind.kind))).collect();
        writeln!(out, "\n{name}, faults of the last 20 matches: {}", kinds.join(", "))?;
        writeln!(out, "{DIM}`agon logs` shows those of a match{DIM:#}")?;
    }
    Ok(())
}
