//! The page of a version: how far it is, what building and checking found, its sources.

use agon_arena::Bundle;
use agon_ladder_pages::{
    model::{Examination, Log, SourceFile, Stage, StageState, VersionPage, VersionState},
    pages,
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use tokio::task::spawn_blocking;

use super::{
    reply::{Shown, html, not_found},
    views,
    visitor::{Visitor, time},
    words::first_line,
};
use crate::{
    app::App,
    store::{
        arenas::{Arena, Sources},
        now,
        people::Role,
        versions::{Check, State as VersionStored, Version},
    },
};

/// The longest source file that is shown, in bytes.
const SHOWN: usize = 256 << 10;

/// The most bytes of all source files that a page shows.
const SHOWN_ALL: usize = 1 << 20;

pub(super) async fn page(
    State(app): State<App>,
    Path((slug, bot, number)): Path<(String, String, u32)>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let bot = app.store.bot(arena.id(), &bot).await?.ok_or_else(|| not_found("bot"))?;
    let versions = app.store.versions(bot.id).await?;
    let version = versions.iter().find(|version| version.number == number);
    let board = arena.board();
    let is_known = |version: &&Version| views::is_known(&bot, version.state, &visitor);
    let version = version.filter(is_known).ok_or_else(|| not_found("version"))?;
    let of = arena.get();
    let is_own = visitor.is(bot.owner);
    let may_see = is_own || visitor.role() >= Role::Organiser;
    let report = version.report.clone().unwrap_or_default();
    let is_active = bot.active == Some(version.id);
    let stopped = bot.stopped.as_ref();
    let bot_ref = match board.bots.get(&bot.id) {
        Some(found) => views::bot_ref(&board, found),
        None => agon_ladder_pages::model::BotRef {
            slug: bot.slug.clone(),
            name: bot.name.clone(),
            ..Default::default()
        },
    };
    let sources = match may_see || are_sources_open(&of) {
        true => sources(&app, version).await?,
        false => Vec::new(),
    };
    let build = (!report.output.is_empty()).then(|| Log {
        title: "what the build wrote".to_owned(),
        text: report.output.clone(),
        ..Log::default()
    });
    let extension = match bot.owner.filter(|_| is_own) {
        Some(owner) => app.store.extension(arena.id(), owner).await?,
        None => None,
    };
    let model = VersionPage {
        arena: views::head(&arena, &board, &visitor),
        bot: bot_ref,
        number,
        state: match stopped {
            Some(stopped) if is_active && stopped.is_exclusion() => VersionState::Disqualified,
            _ => views::version_state(version.state, is_active, version.play.matches > 0),
        },
        plays: is_active && stopped.is_none(),
        live: version.state.is_open(),
        reason: match (&report.refused, stopped) {
            (Some(why), _) if may_see => super::words::sentence(first_line(why)),
            (None, Some(stopped)) if may_see && is_active && !stopped.is_exclusion() => {
                let why = super::bot::why_stopped(&of.settings, stopped);
                format!("It can play, but the bot is paused. {why}")
            }
            _ => String::new(),
        },
        message: version.message.clone(),
        at: time(version.created),
        way: String::new(),
        language: version.language.clone(),
        digest: version.source.map(|digest| digest.to_string()).unwrap_or_default(),
        bytes: sources.iter().map(|file| file.bytes).sum(),
        rating: views::live_rating(&board, version.id),
        matches: version.play.matches,
        stages: stages(&app, version, report.ms),
        build: build.filter(|_| may_see),
        check: if may_see { report.checks.iter().map(examination).collect() } else { Vec::new() },
        replay: String::new(),
        sources,
        can_activate: is_own
            && !is_active
            && version.state == VersionStored::Ready
            && of.settings.season.is_open(now(), extension),
    };
    Ok(html(pages::version(&visitor.context(), &model)))
}

/// Returns whether everybody can read the sources of an arena's bots.
pub(super) fn are_sources_open(arena: &Arena) -> bool {
    match arena.settings.sources {
        Sources::Secret => false,
        Sources::Open => true,
        Sources::After => arena.settings.season.freeze.is_some_and(|freeze| freeze <= now()),
    }
}

/// Returns the stages from the hand-in to the first match.
pub(super) fn stages(app: &App, version: &Version, ms: u64) -> Vec<Stage> {
    use StageState::{Done, Failed, Running, Waiting};
    let since = app.queue().since(version.id).map(|since| since.as_millis() as u64);
    let has_checks = version.report.as_ref().is_some_and(|report| !report.checks.is_empty());
    let (build, check) = match version.state {
        VersionStored::Waiting => (Waiting, Waiting),
        VersionStored::Building => (Running, Waiting),
        VersionStored::Checking => (Done, Running),
        VersionStored::Ready => (Done, Done),
        VersionStored::Refused if has_checks => (Done, Failed),
        VersionStored::Refused => (Failed, Waiting),
    };
    let stage = |name: &str, state: StageState, note: &str| Stage {
        name: name.to_owned(),
        state,
        ms: if state == Running { since } else { None },
        note: note.to_owned(),
    };
    let mut stages = vec![
        stage("build", build, ""),
        stage("check", check, "as `agon check` does: two short matches"),
    ];
    if ms > 0 {
        stages[1].ms = Some(ms);
    }
    if version.state == VersionStored::Waiting && app.queue().is_behind_others(version.id) {
        stages[0].note = "others are built before it".to_owned();
    }
    stages
}

pub(super) fn examination(check: &Check) -> Examination {
    // A compiler says more than a line.
    let (found, more) = check.found.split_once('\n').unwrap_or((&check.found, ""));
    let output = [more, &check.evidence].join("\n").trim().to_owned();
    Examination {
        number: check.number,
        topic: check.topic.clone(),
        status: check.status,
        found: found.to_owned(),
        output,
        remedy: check.remedy.clone(),
    }
}

/// Returns the files of a version as they were handed in.
async fn sources(app: &App, version: &Version) -> Shown<Vec<SourceFile>> {
    let Some(digest) = version.source else { return Ok(Vec::new()) };
    let blobs = app.blobs.clone();
    let read = spawn_blocking(move || -> anyhow::Result<Vec<SourceFile>> {
        let bundle = Bundle::from_bytes(&blobs.get(digest)?)?;
        let mut room = SHOWN_ALL;
        let file = |(path, contents, _): (&str, &[u8], bool)| {
            let text = std::str::from_utf8(contents).ok();
            let most = SHOWN.min(room);
            let text = text.filter(|text| text.len() <= most && !text.contains('\0'));
            room -= text.map_or(0, str::len);
            let text = text.map(str::to_owned);
            SourceFile { path: path.to_owned(), bytes: contents.len() as u64, text }
        };
        Ok(bundle.files().map(file).collect())
    });
    Ok(read.await.map_err(anyhow::Error::from)??)
}
