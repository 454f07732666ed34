//! An author's own bot, which is asked again what it was asked in its matches.
//!
//! The bot runs in this program's own hosts and not in those of `agon replay ask`: so it is built
//! once, and not for each match. `agon-arena` has compiled them already.

use std::{path::Path, sync::Arc};

use agon_arena::{AnswerDifference, BotEntry, Recheck, Seated, host_options, recheck};
use agon_bots::{BotSpec, HostOptions};
use agon_core::{Player, text::escape};
use agon_ladder::api::{PersonBot, VersionSummary};
use agon_ladder::ledger::{HandedIn, Proven};
use agon_match::spec::settings::MAX_SCALE;
use agon_match::spec::{Digest, MatchSettings, TimeSettings};
use anyhow::{Context, Result, anyhow};
use serde::Serialize;
use serde_json::Value;

use crate::servers::{Address, KnownServer};
use crate::{api, http::Client, machine, packed::Packed};

/// A bot has so many times the arena's time here: this machine may be slower than the server's,
/// and a bot that hangs must end all the same.
const PATIENCE: u32 = 10;

/// So many matches with other answers are asked a second time, to see whether the bot repeats
/// itself.
const REPEATED: usize = 3;

/// An author's own bot.
#[derive(Debug)]
pub(super) struct OwnBot<'a> {
    pub(super) folder: &'a Path,
    pub(super) packed: Packed,
    pub(super) digest: Digest,
    /// The versions with its files.
    pub(super) versions: Vec<HandedIn>,
    /// The matches that it was asked about.
    pub(super) matches: Vec<AskedMatch>,
    /// The bot, once it is built.
    entry: Option<Arc<BotEntry>>,
    failed: Option<anyhow::Error>,
}

/// A match, and what the bot answered now.
#[derive(Clone, Debug, Serialize)]
pub(super) struct AskedMatch {
    /// The arena.
    pub(super) arena: u64,
    /// The number of the match.
    pub(super) number: u64,
    /// In which seat the bot was, from 0.
    pub(super) player: usize,
    /// The answers that were compared.
    pub(super) decisions: u64,
    /// How many are the recorded ones.
    pub(super) agreed: u64,
    /// The first other answer.
    pub(super) first_difference: Option<AnswerDifference>,
    /// Whether the bot gave the same answers when it was asked a second time, if it was.
    pub(super) repeats: Option<bool>,
}

impl<'a> OwnBot<'a> {
    /// Reads the folder of a bot. Nothing is built yet.
    pub(super) fn of(folder: &'a Path) -> Result<OwnBot<'a>> {
        let packed = Packed::of(folder)?;
        let digest = packed.digest();
        let (versions, matches) = (Vec::new(), Vec::new());
        Ok(OwnBot { folder, packed, digest, versions, matches, entry: None, failed: None })
    }

    /// Asks the bot again what it was asked in a match. After a failure it is not asked any more.
    pub(super) fn ask_about(&mut self, proven: &Proven<'_>) {
        if self.failed.is_none()
            && let Err(error) = self.try_ask_about(proven)
        {
            self.failed = Some(error);
        }
    }

    /// Returns why the bot could not be asked, if it could not.
    pub(super) fn done(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Returns whether the bot answered as recorded in all matches.
    pub(super) fn agrees(&self) -> bool {
        self.matches.iter().all(|one| one.first_difference.is_none())
    }

    fn try_ask_about(&mut self, proven: &Proven<'_>) -> Result<()> {
        let Proven { played, .. } = proven;
        let is_own = |version: &u64| proven.same_files.iter().any(|own| own.version == *version);
        let seats = played.pairing.versions.iter().enumerate();
        for (player, _) in seats.filter(|(_, version)| is_own(version)) {
            let found = self.ask_in_seat(proven, player).with_context(|| {
                format!("{}: in match {}", self.folder.display(), played.pairing.number)
            })?;
            self.matches.push(found);
        }
        Ok(())
    }

    fn ask_in_seat(&mut self, proven: &Proven<'_>, player: usize) -> Result<AskedMatch> {
        let settings = settings(&proven.terms.matches);
        let host = HostOptions { game: Some(proven.game), ..host_options(&settings, &machine()) };
        let entry = self.entry(&host)?;
        let strikes = settings.time.strikes;
        let seated =
            Seated { player: Player::from_index(player), bot: &entry, host: &host, strikes };
        let ask = || recheck(proven.replay, proven.game, &seated);
        let Recheck { decisions, agreed, first, fingerprint } = ask()?;
        let repeated = self.matches.iter().filter(|one| one.repeats.is_some()).count();
        let repeats = match &first {
            Some(_) if repeated < REPEATED => Some(ask()?.fingerprint == fingerprint),
            _ => None,
        };
        Ok(AskedMatch {
            arena: proven.played.arena,
            number: proven.played.pairing.number,
            player,
            decisions,
            agreed,
            first_difference: first,
            repeats,
        })
    }

    /// Returns the bot; builds it before the first match.
    fn entry(&mut self, host: &HostOptions) -> Result<Arc<BotEntry>> {
        if let Some(entry) = &self.entry {
            return Ok(Arc::clone(entry));
        }
        let entry = BotEntry::new(BotSpec::folder(self.folder), host)?;
        Ok(Arc::clone(self.entry.insert(entry)))
    }
}

/// Returns how the bot is run: with the sandbox of `agon play`, and with more time than the arena
/// gives.
fn settings(of_arena: &Value) -> MatchSettings {
    // A newer server may write what this Agon does not know; then the game's limits hold.
    let of_arena: MatchSettings = serde_json::from_value(of_arena.clone()).unwrap_or_default();
    let time = of_arena.time;
    let scale = time.scale.saturating_mul(PATIENCE).min(MAX_SCALE);
    let mut settings = MatchSettings { time: TimeSettings { scale, ..time }, ..Default::default() };
    // Files and confinement are this machine's own business.
    settings.sandbox.wasm = of_arena.sandbox.wasm;
    settings.sandbox.share_jvm = of_arena.sandbox.share_jvm;
    settings
}

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
    let games = api::arenas(client)?;
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
            created.machine()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_decides_no_more_than_times() {
        let mut server = MatchSettings::default();
        server.time.limit = Some(50);
        server.sandbox.level = agon_match::spec::SandboxLevel::Off;
        server.sandbox.read = vec!["/".into()];
        server.sandbox.write = vec!["/".into()];
        server.sandbox.memory = Some(16);
        let own = settings(&serde_json::to_value(server).unwrap());
        assert_eq!((own.time.limit, own.time.scale), (Some(50), 1_000));
        assert_eq!(own.sandbox, MatchSettings::default().sandbox);
        let unknown = settings(&json!({ "time": { "unknown": 1 } }));
        assert_eq!((unknown.time.limit, unknown.time.scale), (None, 1_000));
    }
}
