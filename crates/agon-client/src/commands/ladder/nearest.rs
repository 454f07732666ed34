//! Which version of an author's bots comes closest to files that nobody handed in.

use agon_ladder::api::{PersonBot, VersionSummary};
use agon_text::escape;
use anyhow::{Result, anyhow};

use super::own_bot::OwnBot;
use crate::{
    api,
    http::Client,
    servers::{Address, KnownServer},
};

/// The most bots that are named.
const NAMED: usize = 5;

/// Returns the error for files that are no version on a ladder.
pub(super) fn no_such_version(
    bot: &OwnBot<'_>,
    versions: u64,
    known: Option<&KnownServer>,
    client: Option<&Client>,
) -> anyhow::Error {
    let folder = escape(&bot.folder.display().to_string()).into_owned();
    let all = match versions {
        0 => "nobody handed in a version".to_owned(),
        1 => "the only version has other files".to_owned(),
        _ => format!("each of its {versions} versions has other files"),
    };
    let nearest = match (known, client) {
        (Some(known), Some(client)) if known.token.is_some() => own_versions(bot, known, client),
        (_, Some(client)) => Ok(format!(
            "Sign in, and Agon names the latest version of your bot: `agon login {}`.",
            client.address()
        )),
        (_, None) => Ok(String::new()),
    };
    let nearest = match nearest {
        Ok(text) => text,
        Err(error) => format!("Which version is your latest cannot be found out: {error:#}."),
    };
    let remedy = format!(
        "Take exactly the files that you handed in (`agon submit --dry-run {folder}` lists those \
         of the folder), or hand these in: `agon submit {folder}`"
    );
    let parts = [nearest, remedy];
    let rest: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    anyhow!("the files in `{folder}` are no version on this ladder: {all}. {}", rest.join(" "))
}

/// Names the latest versions of the person's bots that play the bot's game.
fn own_versions(bot: &OwnBot<'_>, known: &KnownServer, client: &Client) -> Result<String> {
    let game = bot.packed.game().map_or("", |game| game.meta().id);
    let games = crate::places::arenas(client)?;
    let plays =
        |own: &PersonBot| games.iter().any(|arena| arena.slug == own.arena && arena.game == game);
    let bots = signed_in(known)?;
    let own: Vec<PersonBot> = api::me(&bots)?.bots.into_iter().filter(plays).collect();
    if own.is_empty() {
        return Ok(format!("You have no bot for {game} there."));
    }
    let mut texts = Vec::new();
    for PersonBot { arena, bot: summary, .. } in own.iter().take(NAMED) {
        let slug = &summary.bot.slug;
        let Some(latest) = api::latest_version(&bots, arena, slug)? else { continue };
        let VersionSummary { number, created, .. } = latest;
        texts.push(format!(
            "The latest version of your bot {} in {} is version {number}, handed in on {}; its \
             files differ.",
            escape(&summary.bot.name),
            escape(arena),
            escape(&created)
        ));
    }
    Ok(texts.join(" "))
}

/// Returns a client that is signed in, if the token may cross the network.
fn signed_in(known: &KnownServer) -> Result<Client> {
    known.url.check_secrecy(known.insecure_http)?;
    let address: Address = known.url.clone();
    Client::new(address, known.ca.as_deref(), known.token.clone())
}
