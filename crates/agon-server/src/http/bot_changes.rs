//! What authors and organisers do with a bot: for its page and the API.

use agon_core::text::check_name;
use agon_match::spec::Digest;

use super::prelude::*;
use crate::accounts::name::{check_reserved, is_seen, skeleton};
use crate::play::Comparison;
use crate::store::bots::Bot;
use crate::store::versions::{State as VersionStored, Version};
use crate::store::{bots, versions};

/// A bot that somebody may change.
#[derive(Clone, Debug)]
pub(super) struct Changeable {
    pub(super) arena: ArenaHandle,
    pub(super) bot: Bot,
    /// Who changes it.
    pub(super) person: Person,
}

/// Ways to stop a bot, or to let it play again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Pause,
    Resume,
    Disqualify,
    Reinstate,
}

impl Stop {
    /// All ways, in their order: with the name in addresses and in the audit log, and that of the
    /// message that the page shows afterwards.
    pub(super) const ALL: [(Stop, &str, &str); 4] = [
        (Stop::Pause, "pause", "paused"),
        (Stop::Resume, "resume", "resumed"),
        (Stop::Disqualify, "disqualify", "disqualified"),
        (Stop::Reinstate, "reinstate", "reinstated"),
    ];
}

/// Finds a bot that a person may change.
pub(super) async fn changeable(
    app: &App,
    visitor: &Visitor,
    slug: &str,
    bot: &str,
) -> Shown<Changeable> {
    let person = visitor.must_be(Role::Author)?;
    let arena = views::arena(app, slug)?;
    let bot = app.store.bot(arena.id(), bot).await?.ok_or_else(|| not_found("bot"))?;
    if bot.owner != Some(person.id) && person.role < Role::Organiser {
        return Err(failure(Forbidden, "This is not your bot", "Only its author can change it."));
    }
    if bot.is_erased() {
        let advice = "Nothing of it can be changed any more.";
        return Err(failure(Conflict, "The author of this bot was erased", advice));
    }
    Ok(Changeable { arena, bot, person: person.clone() })
}

/// Writes a change of a bot, and has everybody follow it.
async fn change(app: &App, own: &Changeable, statements: Vec<Statement>) -> Shown<()> {
    app.store.write(statements).await?;
    app.orders.send(Order::Refresh { arena: own.arena.id() });
    own.arena.touch();
    Ok(())
}

/// Says why nothing changes a table or a field any more, if nothing does: after the freeze, and in
/// a final.
pub(super) fn fixed(settings: &ArenaSettings) -> Option<(&'static str, &'static str)> {
    if settings.final_of.is_some() {
        return Some(("This is a final", "It is played with all bots to its end."));
    }
    let why = "The tables and the bots in them stay as they were at the freeze.";
    settings.season.is_frozen(now()).then_some(("The season is over", why))
}

/// Refuses what changes a table or a field once they are fixed.
///
/// Its caller holds [`drawing`](crate::shared::SharedState::drawing) until the change is written,
/// and so does whoever ends the season: no change that was late is written.
fn must_be_open(own: &Changeable) -> Shown<()> {
    match fixed(&own.arena.settings()) {
        Some((title, advice)) => Err(failure(Conflict, title, advice)),
        None => Ok(()),
    }
}

/// Begins to find out whether one version is better than another.
pub(super) async fn compare(app: &App, own: &Changeable, a: u32, b: u32) -> Shown<Comparison> {
    let Changeable { arena, bot, person } = own;
    if a == b {
        let advice = "Choose two different versions.";
        return Err(failure(Unprocessable, "This is the same version twice", advice));
    }
    must_be_open(own)?;
    let versions = app.store.versions(bot.id).await?;
    let find = |number: u32| {
        let ready = versions.iter().filter(|version| version.state == VersionStored::Ready);
        ready.into_iter().find(|version| version.number == number)
    };
    let (Some(one), Some(other)) = (find(a), find(b)) else {
        return Err(not_found("version that can play"));
    };
    if bot.stopped.is_some() {
        return Err(failure(Conflict, "This bot does not play", "Let it play again first."));
    }
    let (asked, numbers) = ([one.id, other.id], [one.number, other.number]);
    let asked = app.comparisons.ask(arena.id(), bot.id, person.id, asked, numbers);
    let asked = asked.map_err(|error| {
        let advice = as_sentence(&error.to_string());
        failure(Conflict, "This cannot be compared now", advice)
    })?;
    let subject = format!("{} v{} v{}", bot.slug, one.number, other.number);
    change(app, own, vec![audit::note(Some(person.id), "bot.compare", &subject, "")]).await?;
    Ok(asked)
}

/// Makes a version the one that plays.
pub(super) async fn activate(app: &App, own: &Changeable, number: u32) -> Shown<()> {
    let Changeable { arena, bot, person } = own;
    let versions = app.store.versions(bot.id).await?;
    let version = versions.iter().find(|version| version.number == number);
    let version = version.ok_or_else(|| not_found("version"))?;
    if version.state != VersionStored::Ready {
        return Err(failure(Conflict, "This version cannot play", "Choose one that is ready."));
    }
    let extension = app.store.extension(arena.id(), person.id).await?;
    let _fixed = app.drawing.lock().await;
    must_be_open(own)?;
    if !arena.settings().season.is_open(now(), extension) {
        let advice = "What plays now plays to the end.";
        return Err(failure(Conflict, "The deadline has passed", advice));
    }
    let subject = format!("{} v{number}", bot.slug);
    let mut statements = play_again(arena, bot, version.id);
    statements.push(audit::note(Some(person.id), "bot.activate", &subject, ""));
    change(app, own, statements).await
}

/// Returns the statements that have an earlier version of a bot play, unless it does already.
fn play_again(arena: &ArenaHandle, bot: &Bot, version: i64) -> Vec<Statement> {
    if bot.active == Some(version) {
        return Vec::new();
    }
    let least = arena.settings().ranks().least;
    vec![bots::set_active(bot.id, Some(version)), versions::owe(version, least)]
}

/// Returns the version of a bot with these files, unless it failed: the one that plays, or the
/// latest.
pub(super) fn same_files<'a>(
    versions: &'a [Version],
    bot: &Bot,
    files: Digest,
) -> Option<&'a Version> {
    let is_same = |version: &&Version| {
        version.source == Some(files) && version.state != VersionStored::Refused
    };
    let same = || versions.iter().filter(is_same);
    same().find(|version| bot.active == Some(version.id)).or_else(|| same().next())
}

/// Returns the statements that have a version play whose files came once more. So the same files
/// have one rating, and nobody hands them in again and again until one number of them is lucky.
pub(super) fn once_more(arena: &ArenaHandle, bot: &mut Bot, version: &Version) -> Vec<Statement> {
    // One that is still being built plays once it can.
    if version.state != VersionStored::Ready {
        return Vec::new();
    }
    let mut statements = play_again(arena, bot, version.id);
    bot.active = Some(version.id);
    // As a new version would.
    if bot.stopped.as_ref().is_some_and(|stopped| stopped.by == StoppedBy::Failures) {
        statements.push(bots::stop_unless_excluded(bot.id, None));
        statements.push(versions::owe(version.id, arena.settings().ranks().least));
        bot.stopped = None;
    }
    statements
}

/// Gives a bot another name.
pub(super) async fn rename(app: &App, own: &Changeable, name: &str) -> Shown<()> {
    let Changeable { arena, bot, person } = own;
    let name =
        bot_name(name).map_err(|why| failure(Unprocessable, "A bot cannot have this name", why))?;
    if is_taken(app, arena, &name, Some(bot.id)).await? {
        return Err(failure(Unprocessable, "This name is taken", taken(&name)));
    }
    let detail = format!("{} is now {name}", bot.name);
    let _fixed = app.drawing.lock().await;
    // Organisers may have to remove a name that is offensive.
    if person.role < Role::Organiser {
        must_be_open(own)?;
    }
    let statements = vec![
        bots::rename(bot.id, &name),
        audit::note(Some(person.id), "bot.rename", &bot.slug, &detail),
    ];
    change(app, own, statements).await
}

/// Checks the name of a bot that somebody chose.
pub(super) fn bot_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    check_name(name).map_err(|error| as_sentence(&error.to_string()))?;
    if name.is_empty() || name.chars().count() > 40 {
        return Err("The name of a bot has 1 to 40 characters.".to_owned());
    }
    if let Some(c) = name.chars().find(|c| !is_seen(*c)) {
        let code = u32::from(c);
        return Err(format!(
            "The name of a bot has letters, digits, punctuation and emoji; leave out U+{code:04X}."
        ));
    }
    check_reserved(name).map_err(|error| as_sentence(&error))?;
    Ok(name.to_owned())
}

/// Returns whether another bot of an arena has a name that looks like this one.
pub(super) async fn is_taken(
    app: &App,
    arena: &ArenaHandle,
    name: &str,
    own: Option<i64>,
) -> Shown<bool> {
    let wanted = skeleton(name);
    let bots = app.store.bots(arena.id()).await?;
    Ok(bots.iter().any(|bot| Some(bot.id) != own && skeleton(&bot.name) == wanted))
}

/// Says that another bot has a name.
pub(super) fn taken(name: &str) -> String {
    let name = agon_core::text::escape(name);
    format!(
        "Another bot of this arena has the name `{name}`, or one that looks like it. Choose \
         another one."
    )
}

/// Stops a bot or lets it play again, for its author or an organiser.
pub(super) async fn stop(app: &App, own: &Changeable, stop: Stop, reason: &str) -> Shown<()> {
    let Changeable { bot, person, .. } = own;
    let is_own = bot.owner == Some(person.id);
    let (by, is_stopped) = match stop {
        Stop::Pause if is_own => (StoppedBy::Author, true),
        Stop::Pause => (StoppedBy::OrganiserPaused, true),
        Stop::Resume => (StoppedBy::Author, false),
        Stop::Disqualify => (StoppedBy::Organiser, true),
        Stop::Reinstate => (StoppedBy::Organiser, false),
    };
    let is_organisers = bot.stopped.as_ref().is_some_and(|stopped| stopped.by.is_organiser());
    if (by.is_organiser() || is_organisers) && person.role < Role::Organiser {
        return Err(failure(Forbidden, "An organiser decides this", "Ask the organisers."));
    }
    let _fixed = app.drawing.lock().await;
    if by != StoppedBy::Organiser {
        must_be_open(own)?;
    }
    let why = match (reason.trim(), by) {
        ("", StoppedBy::Organiser) => "an organiser disqualified it".to_owned(),
        ("", StoppedBy::OrganiserPaused) => "an organiser paused it".to_owned(),
        ("", _) => "its author paused it".to_owned(),
        (reason, _) => one_line(reason, 500),
    };
    let stopped = is_stopped.then(|| Stopped { by, why: why.clone(), at: now() });
    let detail = if is_stopped { why.as_str() } else { "" };
    let set = match person.role >= Role::Organiser {
        true => bots::set_stopped(bot.id, stopped.as_ref()),
        // An organiser may be excluding it at this moment.
        false => bots::stop_unless_excluded(bot.id, stopped.as_ref()).once(),
    };
    let action = format!("bot.{}", Stop::ALL[stop as usize].1);
    let mut statements = vec![set, audit::note(Some(person.id), &action, &bot.slug, detail)];
    // What an organiser stopped did not rest by its author's will.
    if let (Stop::Resume, Some(active), Some(_)) = (stop, bot.active, &bot.stopped) {
        statements.push(versions::owe(active, own.arena.settings().ranks().least));
    }
    change(app, own, statements).await
}
