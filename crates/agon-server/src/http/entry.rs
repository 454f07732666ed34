//! From what an author sends to a version that waits for its build: for the page and the API.

use agon_console::kits::Manifest;
use agon_ladder::archive::{Files, FilesError, is_archive, unpack};
use agon_match::spec::Digest;
use agon_rating::Skill;

use super::bot_changes::{bot_name, is_taken, once_more, same_files, taken};
use super::{form::UploadedFile, prelude::*};
use crate::intake::complete::{Complete, complete, from_kit, pack, unclear};
use crate::store::versions::{PlayState, State as VersionStored, Version};
use crate::store::{finals, ledger, people, retention};
use crate::{accounts::name::slug, shared::Underway, store::bots::Bot};

/// The longest message about a version, in bytes.
const MESSAGE: usize = 2_000;

/// Endings of names of archives, also of those that Agon does not read.
const ARCHIVES: [&str; 10] =
    [".zip", ".tar", ".tar.gz", ".tgz", ".gz", ".tar.xz", ".xz", ".bz2", ".7z", ".rar"];

/// The time over which hand-ins are counted.
pub(super) const DAY: i64 = 24 * 3600 * 1000;

/// Returns the kits whose bots may be handed in, and for which this machine and the machines that
/// play have what they need.
pub(super) fn kits(app: &App, arena: &ArenaHandle) -> Vec<Kit> {
    let game = arena.settings().game;
    let mut kits = allowed_kits(arena);
    kits.retain(|kit| lack(app, &kit.manifest.in_game(game)).is_none());
    kits
}

fn allowed_kits(arena: &ArenaHandle) -> Vec<Kit> {
    let settings = arena.settings();
    let is_allowed =
        |kit: &Kit| settings.languages.is_empty() || settings.languages.iter().any(|l| l == kit.id);
    let kits = Kit::all().into_iter();
    kits.filter(|kit| kit.games().contains(&settings.game) && is_allowed(kit)).collect()
}

/// Returns how many versions an author can still hand in within a day.
pub(super) async fn left(app: &App, settings: &ArenaSettings, bot: Option<&Bot>) -> Shown<u32> {
    let used = match bot {
        Some(bot) => app.store.handed_in_since(bot.id, now() - DAY).await?,
        None => 0,
    };
    Ok(u64::from(settings.daily).saturating_sub(used) as u32)
}

/// What somebody sent.
#[derive(Clone, Debug)]
pub(super) enum Sent {
    /// The text of the editor, which the kit of its language completes.
    Code { language: String, code: String },
    /// Files, or an archive.
    Files(Vec<UploadedFile>),
}

/// Reads what somebody sent.
pub(super) async fn read(
    app: &App,
    arena: &ArenaHandle,
    sent: Sent,
) -> Shown<Result<Complete, FilesError>> {
    let (app, arena) = (app.clone(), arena.clone());
    let read = blocking(move || {
        let done = completed(&arena, sent)?;
        check_language(&arena, &done)?;
        check_tools(&app, &done)?;
        Ok(done)
    });
    read.await
}

fn completed(arena: &ArenaHandle, sent: Sent) -> Result<Complete, FilesError> {
    let game = arena.settings().game;
    let (language, code) = match sent {
        Sent::Files(sent) => return complete(files(&sent)?, game),
        Sent::Code { language, code } => (language, code),
    };
    let kit = allowed_kits(arena).into_iter().find(|kit| kit.id == language);
    let why = || unclear("this language is not allowed here; choose another one".to_owned());
    let kit = kit.ok_or_else(why)?;
    let mut own = Files::default();
    own.add(&kit.main_file(game).unwrap_or_default(), code.into_bytes(), false)?;
    from_kit(&kit, game, own)
}

/// Says what a kit needs and this server, or all machines that play for it, lack.
fn lack(app: &App, kit: &Manifest) -> Option<String> {
    let missing = kit.missing();
    if !missing.is_empty() {
        return Some(format!("this server has no {}", missing.join(" and no ")));
    }
    let missing = app.slots.lacks(&kit.played_with());
    (!missing.is_empty())
        .then(|| format!("no machine that plays here now has {}", missing.join(" and ")))
}

/// Checks that all machines have what the language needs, if the bot is built as its kit is. A
/// version that fails later would be one of the author's few hand-ins.
fn check_tools(app: &App, done: &Complete) -> Result<(), FilesError> {
    let kit = done.manifest.language.as_deref().and_then(|language| Kit::find(language).ok());
    let Some(kit) = kit.map(|kit| kit.manifest.in_game(done.manifest.game)) else { return Ok(()) };
    let Some(lack) = lack(app, &kit).filter(|_| kit.build == done.manifest.build) else {
        return Ok(());
    };
    Err(unclear(format!(
        "{lack}, which bots in {} need. Choose another language, or ask the organisers to install \
         it",
        kit.language
    )))
}

fn files(sent: &[UploadedFile]) -> Result<Files, FilesError> {
    if let [file] = sent {
        if is_archive(&file.contents) {
            return unpack(&file.contents);
        }
        let name = file.name.to_lowercase();
        if ARCHIVES.iter().any(|ending| name.ends_with(ending)) {
            let name = agon_core::text::escape(&file.name);
            return Err(unclear(format!(
                "`{name}` is not an archive that can be read. Pack the bot's folder as .zip, .tar \
                 or .tar.gz"
            )));
        }
    }
    let mut files = Files::default();
    for file in sent {
        // A script is often meant to be started, and browsers do not send whether it can be.
        let is_script = file.contents.starts_with(b"#!") || file.contents.starts_with(b"\x7fELF");
        files.add(&file.name, file.contents.to_vec(), is_script)?;
    }
    Ok(files.without_common_folder())
}

/// Checks that the arena allows the language, as far as the manifest says it.
fn check_language(arena: &ArenaHandle, done: &Complete) -> Result<(), FilesError> {
    let allowed = arena.settings().languages;
    if allowed.is_empty() {
        return Ok(());
    }
    let Some(language) = done.manifest.language.as_deref() else {
        let why = "agon.toml must say the `language`, because this arena allows some only";
        return Err(unclear(why));
    };
    let kit = Kit::find(language).ok();
    if kit.is_some_and(|kit| allowed.iter().any(|id| id == kit.id)) {
        return Ok(());
    }
    let language = agon_core::text::shown_name(language);
    Err(unclear(format!("{language} is not allowed in this arena")))
}

/// What an author says about what is handed in.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'a> {
    /// The name of a new bot; the author's name if it is empty.
    pub(super) name: &'a str,
    /// What is new in this version.
    pub(super) message: &'a str,
    /// The digest of the author's nonce for a final.
    pub(super) nonce: Option<Digest>,
}

/// A version that can be entered.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) bot: Bot,
    pub(super) version: Version,
    /// Whether the version was there already, with the same files.
    pub(super) is_known: bool,
    person: i64,
    source: Digest,
    statements: Vec<Statement>,
}

impl Entry {
    /// Returns the path of the version's page.
    pub(super) fn page(&self, arena: &ArenaHandle) -> String {
        let (slug, number) = (&arena.get().slug, self.version.number);
        format!("/arenas/{slug}/bots/{}/versions/{number}", self.bot.slug)
    }
}

/// Enters a version of an author's bot. Once it returns, the version cannot get lost.
///
/// Returns where its page is.
pub(super) async fn enter(
    app: &App,
    arena: &ArenaHandle,
    person: &Person,
    done: &Complete,
    wanted: &Wanted<'_>,
    arrival: Arrival,
) -> Shown<String> {
    let entry = prepare(app, arena, person, done, wanted, arrival).await?;
    let done = if entry.is_known { "?done=same" } else { "" };
    let place = format!("{}{done}", entry.page(arena));
    finish(app, arena, entry, None).await?;
    Ok(place)
}

/// Writes an entry, together with what else must be written with it.
pub(super) async fn finish(
    app: &App,
    arena: &ArenaHandle,
    entry: Entry,
    also: Option<Statement>,
) -> Shown<()> {
    // The author may be erased at this moment.
    let mut statements = vec![people::must_be_there(entry.person)];
    statements.extend(entry.statements);
    statements.extend(also);
    let named = app.erasing.read().await;
    let is_stored = app.blobs.has(entry.source);
    let written = match is_stored {
        true => app.store.write(statements).await.map_err(Failure::from),
        // They were removed together with the same ones of somebody who was erased.
        false => {
            let advice = "Nothing was handed in. Send them again.";
            Err(failure(Unavailable, "The files did not stay", advice).retry_after(1))
        }
    };
    drop(named);
    if let Err(failure) = written {
        // Unless something else names the files, nobody needs them.
        if let Err(error) = app.store.write(vec![retention::doom(entry.source)]).await {
            tracing::warn!("files of a hand-in that failed stay: {error}");
        }
        app.doomed.notify_one();
        return Err(failure);
    }
    app.metrics.hand_in(true);
    let (bot, version, is_known) = (entry.bot.slug, entry.version.number, entry.is_known);
    tracing::info!(arena = arena.get().slug, bot, version, is_known, "a version came");
    match is_known {
        true => app.orders.send(Order::Refresh { arena: arena.id() }),
        false => app.queue.wake(),
    }
    arena.touch();
    Ok(())
}

/// Stores the files of a version, and returns what is to be written to enter it. It is refused if
/// the arena takes none, the author has handed in too many, or the bot cannot have its name.
pub(super) async fn prepare(
    app: &App,
    arena: &ArenaHandle,
    person: &Person,
    done: &Complete,
    wanted: &Wanted<'_>,
    arrival: Arrival,
) -> Shown<Entry> {
    let refused = |code, why: String| failure(code, "This cannot be handed in", why);
    let known = app.store.own_bot(arena.id(), person.id).await?;
    let extension = app.store.extension(arena.id(), person.id).await?;
    if let Some(why) = closed(arena, known.as_ref(), arrival, extension) {
        return Err(refused(ProblemCode::Closed, why));
    }
    let settings = arena.settings();
    if left(app, &settings, known.as_ref()).await? == 0 {
        let daily = settings.daily;
        let why = format!("You have handed in {daily} versions within a day; wait a while.");
        return Err(refused(ProblemCode::QuotaExhausted, why));
    }
    let name = match wanted.name.trim() {
        _ if known.is_some() => String::new(),
        "" => person.shown.clone(),
        name => bot_name(name).map_err(|why| refused(Unprocessable, why))?,
    };
    if known.is_none() && is_taken(app, arena, &name, None).await? {
        return Err(refused(Unprocessable, taken(&name)));
    }
    // Only what can be entered is stored.
    let (files, blobs) = (done.files.clone(), app.blobs.clone());
    let source = match blocking(move || blobs.put_durable(&pack(&files))).await? {
        Ok(digest) => digest,
        Err(error) => {
            tracing::error!("a hand-in cannot be stored: {error}");
            return Err(failure(
                ProblemCode::DiskFull,
                "The server cannot store it",
                "Nothing was handed in. Tell the people who run this server, and try again later.",
            ));
        }
    };
    let mut statements = Vec::new();
    let versions = match &known {
        Some(bot) => app.store.versions(bot.id).await?,
        None => Vec::new(),
    };
    let bot = match known {
        Some(mut bot) => {
            if let Some(version) = same_files(&versions, &bot, source).cloned() {
                let mut statements = once_more(arena, &mut bot, &version);
                let subject = format!("{} v{}", bot.slug, version.number);
                let detail = "the same files";
                let note = audit::note(Some(person.id), "version.hand-in", &subject, detail);
                statements.push(note);
                let (is_known, person) = (true, person.id);
                return Ok(Entry { bot, version, is_known, person, source, statements });
            }
            bot
        }
        None => {
            let bot = Bot {
                id: fresh_id(),
                arena: arena.id(),
                owner: Some(person.id),
                slug: free_slug(app, arena, &name).await?,
                name,
                active: None,
                stopped: None,
                created: now(),
            };
            statements.push(bot.insert());
            bot
        }
    };
    let nonce = wanted.nonce;
    let version = new_version(&versions, &bot, source, done, wanted.message, arrival.began);
    let subject = format!("{} v{}", bot.slug, version.number);
    statements.push(version.insert());
    statements.push(ledger::append(&agon_ladder::ledger::Entry::HandIn {
        arena: arena.id().cast_unsigned(),
        bot: bot.id.cast_unsigned(),
        version: version.id.cast_unsigned(),
        number: version.number,
        source,
        nonce,
    }));
    statements.extend(nonce.map(|nonce| finals::pledge_nonce(version.id, nonce)));
    statements.push(audit::note(Some(person.id), "version.hand-in", &subject, ""));
    Ok(Entry { bot, version, is_known: false, person: person.id, source, statements })
}

fn new_version(
    versions: &[Version],
    bot: &Bot,
    source: Digest,
    done: &Complete,
    message: &str,
    began: i64,
) -> Version {
    let before = versions.iter().find(|version| Some(version.id) == bot.active);
    // What the bot has used up stays its own.
    let (mean_us, pass) = before.map_or((0, 0), |before| (before.play.mean_us, before.play.pass));
    let skill = before.map_or_else(Skill::default, |before| {
        agon_ladder::next_skill(Skill { mu: before.play.mu, sigma: before.play.sigma })
    });
    let message = agon_core::text::name::cut(message.trim(), MESSAGE);
    let language = done.manifest.language.clone().unwrap_or_else(|| "other".to_owned());
    Version {
        id: fresh_id(),
        bot: bot.id,
        number: versions.first().map_or(1, |last| last.number + 1),
        state: VersionStored::Waiting,
        source: Some(source),
        built: None,
        run: done.manifest.spec(),
        language: agon_core::text::shown_name(&language).into_owned(),
        message: agon_core::text::escape_lines(message).into_owned(),
        created: began,
        ready: None,
        report: None,
        play: PlayState { mu: skill.mu, sigma: skill.sigma, mean_us, pass, ..PlayState::default() },
    }
}

/// Returns a name in addresses that no bot of the arena has.
async fn free_slug(app: &App, arena: &ArenaHandle, name: &str) -> Shown<String> {
    let base = slug(name);
    for number in 1..1_000 {
        let slug = if number == 1 { base.clone() } else { format!("{base}-{number}") };
        if !slug.starts_with("builtin-") && app.store.bot(arena.id(), &slug).await?.is_none() {
            return Ok(slug);
        }
    }
    Ok(format!("{base}-{}", fresh_id()))
}

/// When an upload began: before its body was read. It is on its way until this is dropped.
pub(super) struct Started {
    began: i64,
    _underway: Underway,
}

impl Started {
    pub(super) fn now(app: &App) -> Started {
        let began = now();
        Started { began, _underway: app.uploads.begin(began) }
    }

    /// Returns when the upload came, whose last byte is there now.
    pub(super) fn arrived(&self) -> Arrival {
        Arrival { began: self.began, came: now() }
    }
}

impl axum::extract::FromRequestParts<App> for Started {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        _: &mut axum::http::request::Parts,
        app: &App,
    ) -> Result<Started, Self::Rejection> {
        Ok(Started::now(app))
    }
}

/// Says why nothing can be handed in, if nothing can.
///
/// `extension` is the author's later deadline, if there is one.
pub(super) fn closed(
    arena: &ArenaHandle,
    bot: Option<&Bot>,
    arrival: Arrival,
    extension: Option<i64>,
) -> Option<String> {
    let of = arena.get();
    let season = &of.settings.season;
    if let Some(why) = of.settings.outdated() {
        return Some(as_sentence(&why));
    }
    if of.settings.final_of.is_some() {
        return Some("This is a final: its versions cannot change any more.".to_owned());
    }
    let stopped = bot.and_then(|bot| bot.stopped.as_ref());
    let is_out = |by| matches!(by, StoppedBy::Organiser | StoppedBy::Disabled);
    if let Some(stopped) = stopped.filter(|stopped| is_out(stopped.by)) {
        return Some(format!("An organiser disqualified your bot: {}.", stopped.why));
    }
    if season.begin.is_some_and(|begin| arrival.began < begin) {
        return Some("The season has not begun.".to_owned());
    }
    if season.is_open(arrival.began, extension) && !season.takes(arrival, extension) {
        return Some(
            "The deadline has passed: the upload began in time, but took longer than a minute \
             after it."
                .to_owned(),
        );
    }
    (!season.takes(arrival, extension)).then(|| "The deadline has passed.".to_owned())
}

#[cfg(test)]
mod tests {
    use agon_games::GameId;

    use super::*;

    #[test]
    fn workers_say_at_once_whether_they_can_play_a_kits_language() {
        let known = |program: &String| {
            program == "wasm" || agon_remote::fleet::USUAL_PROGRAMS.contains(&program.as_str())
        };
        let with = |name: &str, game| {
            let all = Kit::find(name).unwrap().manifest.in_game(game).played_with();
            assert!(all.iter().all(known), "{all:?}");
            all.into_iter().collect::<Vec<_>>().join(" ")
        };
        for (name, programs) in [
            ("c", "cc"),
            ("clojure", "clojure sh"),
            ("cpp", "c++"),
            ("csharp", "mono"),
            ("go", ""),
            ("java", "java"),
            ("python", "python3"),
            ("rust", ""),
            ("typescript", "node"),
            ("wasm", "wasm"),
        ] {
            assert_eq!(with(name, GameId::Cluster), programs, "{name}");
        }
        assert_eq!(with("clojure", GameId::Amoebas), "java");
    }

    #[test]
    fn a_new_version_begins_with_the_time_that_its_bot_has_used() {
        let kit = Kit::find("python").unwrap();
        let mut own = Files::default();
        own.add(&kit.main_file(GameId::Cluster).unwrap(), b"print()".to_vec(), false).unwrap();
        let done = from_kit(&kit, GameId::Cluster, own).unwrap();
        let mut bot = Bot {
            id: 1,
            arena: 1,
            owner: Some(1),
            slug: "fox".into(),
            name: "fox".into(),
            active: None,
            stopped: None,
            created: 0,
        };
        let version =
            |bot: &Bot, all: &[Version]| new_version(all, bot, Digest::of(b"fox"), &done, "", 0);
        let mut first = version(&bot, &[]);
        assert_eq!((first.number, first.play.pass, first.play.mean_us), (1, 0, 0));
        (first.play.pass, first.play.mean_us) = (7_000, 300);
        bot.active = Some(first.id);
        let second = version(&bot, &[first]);
        assert_eq!((second.number, second.play.pass, second.play.mean_us), (2, 7_000, 300));
    }
}
