//! `agon matches`: the matches of a bot, or of an arena.

use std::io::Write;

use agon_console::client_options::MatchesArgs;
use agon_ladder::api::MatchSummary;
use anyhow::Result;
use serde_json::Value;

use crate::{
    api,
    http::{Call, Client},
    places,
    session::Session,
    show::{self, print_json},
};

/// Lists matches.
///
/// # Errors
/// If the server does not send them.
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
        let arena = places::arena(client, arena)?;
        let bot = places::bot(client, &arena, name)?.slug;
        return Ok((arena, Some(bot)));
    }
    if args.all || !client.has_token() {
        return Ok((places::arena(client, arena)?, None));
    }
    let own = places::own_bot(client, arena)?;
    Ok((own.arena, Some(own.bot)))
}
