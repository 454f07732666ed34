//! Arenas and bots by their names.

use agon_core::error::did_you_mean;
use agon_ladder::api::{ArenaSummary, BotRef, BotSummary, List, PersonBot, ProblemCode};
use agon_text::escape;
use anyhow::{Result, bail};

use crate::{
    api,
    http::{Call, Client},
};

/// The most bots of an arena that are looked through.
const MOST: usize = 10_000;

/// Returns all arenas.
///
/// # Errors
/// If the server does not send them.
pub(crate) fn arenas(client: &Client) -> Result<Vec<ArenaSummary>> {
    Ok(api::get::<List<ArenaSummary>>(client, &["arenas"])?.items)
}

/// Returns the arena with this name, or the only one.
///
/// # Errors
/// If there is none with this name, or there are several.
pub(crate) fn arena(client: &Client, name: Option<&str>) -> Result<String> {
    let all = arenas(client)?;
    let names: Vec<&str> = all.iter().map(|arena| arena.slug.as_str()).collect();
    pick("arena", name, &names)
}

/// Returns the name that was typed, or the only one.
///
/// # Errors
/// If it is none of them; the error proposes one.
pub(crate) fn pick(what: &str, name: Option<&str>, names: &[&str]) -> Result<String> {
    match (name, names) {
        (Some(name), _) if names.contains(&name) => Ok(name.to_owned()),
        (Some(name), []) => bail!("there is no {what} `{}`", escape(name)),
        (Some(name), _) => match did_you_mean(name, names.iter().copied()) {
            Some(other) => {
                bail!("there is no {what} `{}`; did you mean `{}`?", escape(name), escape(other))
            }
            None => bail!("there is no {what} `{}`; there are {}", escape(name), some(names)),
        },
        (None, [only]) => Ok((*only).to_owned()),
        (None, []) => bail!("there is no {what} on this server yet"),
        (None, _) => bail!("there are several, so name the {what}: {}", some(names)),
    }
}

/// Lists the first names.
fn some(names: &[&str]) -> String {
    let shown: Vec<_> = names.iter().take(8).map(|name| escape(name)).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// A bot of the person who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnBot {
    pub(crate) arena: String,
    pub(crate) bot: String,
}

/// Returns the person's bots, in one arena or in all.
///
/// # Errors
/// If there are none, or there is no such arena.
pub(crate) fn own_bots(client: &Client, arena: Option<&str>) -> Result<Vec<PersonBot>> {
    let bots = api::me(client)?.bots;
    let Some(name) = arena else { return Ok(bots) };
    let name = self::arena(client, Some(name))?;
    Ok(bots.into_iter().filter(|bot| bot.arena == name).collect())
}

/// Returns the person's bot in an arena, or the only one in all arenas.
///
/// # Errors
/// If there is none, or there are several.
pub(crate) fn own_bot(client: &Client, arena: Option<&str>) -> Result<OwnBot> {
    let bots = own_bots(client, arena)?;
    match bots.as_slice() {
        [only] => Ok(OwnBot { arena: only.arena.clone(), bot: only.bot.bot.slug.clone() }),
        [] => bail!("you have no bot there yet: `agon submit` hands one in"),
        several => {
            let names: Vec<&str> = several.iter().map(|bot| bot.arena.as_str()).collect();
            bail!("you have bots in several arenas, so name one: {}", some(&names))
        }
    }
}

/// Returns the bot with this name.
///
/// # Errors
/// If there is none; the error proposes one.
pub(crate) fn bot(client: &Client, arena: &str, name: &str) -> Result<BotRef> {
    match api::get::<BotSummary>(client, &["arenas", arena, "bots", name]) {
        Ok(summary) => Ok(summary.bot),
        Err(error) if api::code(&error) == Some(ProblemCode::NotFound) => {
            let call = Call::get(api::path(&["arenas", arena, "bots"]));
            let all: Vec<BotSummary> = api::list(client, &call, MOST)?;
            // People may type the name instead of the one in addresses.
            if let Some(named) = all.iter().find(|summary| summary.bot.name == name) {
                return Ok(named.bot.clone());
            }
            let names: Vec<&str> = all.iter().map(|summary| summary.bot.slug.as_str()).collect();
            pick("bot", Some(name), &names)?;
            Err(error)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_gets_a_proposal() {
        let names = ["cluster", "cluster-2026", "cellhack"];
        let error = |name| pick("arena", name, &names).unwrap_err().to_string();
        assert_eq!(pick("arena", Some("cluster"), &names).unwrap(), "cluster");
        assert_eq!(error(Some("clutser")), "there is no arena `clutser`; did you mean `cluster`?");
        assert!(error(Some("zzz\u{1b}")).ends_with("there are cluster, cluster-2026, cellhack"));
        assert!(!error(Some("zzz\u{1b}")).contains('\u{1b}'));
        assert!(error(None).contains("name the arena: cluster, "));
        assert_eq!(pick("arena", None, &["only"]).unwrap(), "only");
        assert!(pick("arena", None, &[]).unwrap_err().to_string().contains("yet"));
    }
}
