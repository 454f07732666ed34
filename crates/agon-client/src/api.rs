//! Requests of the API.

use agon_core::{error::did_you_mean, text::escape};
use agon_ladder::api::{
    ArenaSummary, BASE, BotRef, BotSummary, List, Me, NewToken, PersonBot, ProblemCode, Server,
    TokenRequest, VersionSummary,
};
use anyhow::{Context, Result, bail, ensure};
use serde::de::DeserializeOwned;

use crate::http::{Body, Call, Client, Failure, encoded};
use crate::servers::Token;

/// The API that this program speaks.
const API: &str = "v1";

/// The most items of a page.
const PAGE: usize = 200;

/// Returns a path below the API.
pub(crate) fn path(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| encoded(name)).collect();
    format!("{BASE}/{}", names.join("/"))
}

/// Fetches an object.
pub(crate) fn get<T: DeserializeOwned>(client: &Client, path: &[&str]) -> Result<T> {
    fetch(client, &Call::get(self::path(path)))
}

/// Sends a request, and reads the object that comes back.
pub(crate) fn fetch<T: DeserializeOwned>(client: &Client, call: &Call) -> Result<T> {
    let reply = client.send(call).and_then(|reply| reply.json());
    reply.map_err(|failure| in_words(failure, client))
}

/// Fetches the first items of a list, page by page.
pub(crate) fn list<T: DeserializeOwned>(
    client: &Client,
    call: &Call,
    most: usize,
) -> Result<Vec<T>> {
    let mut items: Vec<T> = Vec::new();
    let mut cursor: Option<String> = None;
    while items.len() < most {
        let wanted = (most - items.len()).min(PAGE);
        let mut page = call.clone().query("limit", &wanted.to_string());
        if let Some(cursor) = &cursor {
            page = page.query("cursor", cursor);
        }
        let List { items: more, next } = fetch::<List<T>>(client, &page)?;
        // A page without items that promises more would never end.
        ensure!(!more.is_empty() || next.is_none(), "the server's list does not end");
        items.extend(more);
        match next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    items.truncate(most);
    Ok(items)
}

/// Adds to a failure where it happened, and how to sign in if that is what is missing.
pub(crate) fn in_words(failure: Failure, client: &Client) -> anyhow::Error {
    let address = client.address();
    let remedy = match failure.code() {
        Some(ProblemCode::Unauthorized) if client.has_token() => {
            let is_set = Token::is_in_environment();
            let other = if is_set { ", or set another AGON_TOKEN" } else { "" };
            Some(format!("sign in again: `agon login {address}`{other}"))
        }
        Some(ProblemCode::Unauthorized) => Some(format!("sign in: `agon login {address}`")),
        Some(ProblemCode::MissingScope) => Some(format!(
            "sign in again, which gives a token that may do this: `agon login {address}`"
        )),
        _ => None,
    };
    let text = failure.to_string();
    let error = anyhow::Error::new(failure);
    match remedy {
        Some(remedy) => error.context(format!("{address}: {text} — {remedy}")),
        None => error.context(format!("{address}: {text}")),
    }
}

/// Returns the kind of failure that the server named.
pub(crate) fn code(error: &anyhow::Error) -> Option<ProblemCode> {
    error.downcast_ref::<Failure>().and_then(Failure::code)
}

/// Checks that a server speaks this API, and says who it is.
pub(crate) fn server(client: &Client) -> Result<Server> {
    let server: Server = fetch(client, &Call::get(format!("{BASE}/")))?;
    if server.api != API {
        bail!(
            "{} speaks the API `{}`, and this Agon `{API}`; install Agon {} or newer",
            client.address(),
            escape(&server.api),
            escape(&server.version)
        );
    }
    Ok(server)
}

/// Returns who the token belongs to.
pub(crate) fn me(client: &Client) -> Result<Me> {
    get(client, &["me"])
}

/// Asks for a token.
pub(crate) fn new_token(client: &Client, request: &TokenRequest) -> Result<NewToken> {
    let body = serde_json::to_vec(request).context("a request can be written as JSON")?;
    let call = Call::post(path(&["tokens"]), Body::Json(body));
    let reply = client.send(&call).and_then(|reply| reply.json());
    reply.map_err(|failure| without_remedy(failure, client))
}

/// Returns who a token belongs to that somebody signs in with.
pub(crate) fn owner(client: &Client) -> Result<Me> {
    let reply = client.send(&Call::get(path(&["me"]))).and_then(|reply| reply.json());
    reply.map_err(|failure| without_remedy(failure, client))
}

/// Adds to a failure where it happened. While people sign in, that they can is no remedy.
fn without_remedy(failure: Failure, client: &Client) -> anyhow::Error {
    let text = format!("{}: {failure}", client.address());
    anyhow::Error::new(failure).context(text)
}

/// Has the server forget a token.
pub(crate) fn forget_token(client: &Client, id: i64) -> Result<()> {
    let sent = client.send(&Call::delete(path(&["tokens", &id.to_string()])));
    sent.map(drop).map_err(|failure| in_words(failure, client))
}

/// Returns the latest version of a bot.
pub(crate) fn latest_version(
    client: &Client,
    arena: &str,
    bot: &str,
) -> Result<Option<VersionSummary>> {
    let call = Call::get(path(&["arenas", arena, "bots", bot, "versions"]));
    Ok(list(client, &call, 1)?.into_iter().next())
}

/// The most bots of an arena that are looked through.
const MOST: usize = 10_000;

/// Returns all arenas.
pub(crate) fn arenas(client: &Client) -> Result<Vec<ArenaSummary>> {
    Ok(get::<List<ArenaSummary>>(client, &["arenas"])?.items)
}

/// Returns the arena with this name, or the only one.
pub(crate) fn arena(client: &Client, name: Option<&str>) -> Result<String> {
    let all = arenas(client)?;
    let names: Vec<&str> = all.iter().map(|arena| arena.slug.as_str()).collect();
    pick("arena", name, &names)
}

/// Returns the name that was typed, or the only one.
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
pub(crate) fn own_bots(client: &Client, arena: Option<&str>) -> Result<Vec<PersonBot>> {
    let bots = me(client)?.bots;
    let Some(name) = arena else { return Ok(bots) };
    let name = self::arena(client, Some(name))?;
    Ok(bots.into_iter().filter(|bot| bot.arena == name).collect())
}

/// Returns the person's bot in an arena, or the only one in all arenas.
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
pub(crate) fn bot(client: &Client, arena: &str, name: &str) -> Result<BotRef> {
    match get::<BotSummary>(client, &["arenas", arena, "bots", name]) {
        Ok(summary) => Ok(summary.bot),
        Err(error) if code(&error) == Some(ProblemCode::NotFound) => {
            let call = Call::get(path(&["arenas", arena, "bots"]));
            let all: Vec<BotSummary> = list(client, &call, MOST)?;
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
