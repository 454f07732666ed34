//! The page on which authors hand in, and what it sends.

use agon_archive::{Files, FilesError, MAX_BYTES, MAX_FILES, is_archive, unpack};
use agon_kits::Kit;
use agon_ladder_pages::{
    model::{Choice, HandIn, LanguageChoice, Quota},
    pages,
};
use agon_rating::Skill;
use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use serde::Deserialize;
use tokio::task::spawn_blocking;

use super::{
    bot::bot_name,
    form::{Fields, Upload},
    reply::{Failure, Shown, html, to},
    views,
    visitor::{Visitor, time},
};
use crate::{
    accounts::name::slug,
    app::App,
    arena_handle::ArenaHandle,
    arenas::boss_names,
    intake::{
        complete::{Complete, complete, from_kit},
        packed::{pack, unclear},
    },
    store::{
        audit,
        bots::{Bot, StoppedBy},
        fresh_id, now,
        people::{Person, Role},
        versions::{PlayState, State as VersionStored, Version},
    },
};

/// The longest message about a version, in bytes.
const MESSAGE: usize = 2_000;

/// The time over which hand-ins are counted.
const DAY: i64 = 24 * 3600 * 1000;

#[derive(Debug, Default, Deserialize)]
pub(super) struct HandInQuery {
    #[serde(default)]
    language: String,
    /// The trial match whose code the editor shows.
    r#try: Option<i64>,
}

/// What is in the fields of the page.
#[derive(Debug, Default)]
struct Filled {
    language: String,
    code: Option<String>,
    name: String,
    message: String,
    error: Option<String>,
}

pub(super) async fn page(
    State(app): State<App>,
    Path(arena): Path<String>,
    Query(query): Query<HandInQuery>,
    visitor: Visitor,
) -> Shown<Response> {
    let arena = views::arena(&app, &arena)?;
    let mut filled = Filled { language: query.language, ..Filled::default() };
    let tried = query.r#try.and_then(|id| app.tries().get(id));
    if let Some(trial) = tried.filter(|trial| visitor.is(Some(trial.owner))) {
        let kit = kits(&arena).into_iter().find(|kit| kit.id == trial.language);
        let main = kit.and_then(|kit| kit.main_file(arena.settings().game)).unwrap_or_default();
        let file = trial.bot.files.get(&main);
        filled.code = file.map(|file| String::from_utf8_lossy(&file.contents).into_owned());
        (filled.language, filled.message) = (trial.language, trial.message);
    }
    hand_in_page(&app, &arena, &visitor, filled).await
}

/// Returns the kits whose bots may be handed in.
fn kits(arena: &ArenaHandle) -> Vec<Kit> {
    let settings = arena.settings();
    let is_allowed =
        |kit: &Kit| settings.languages.is_empty() || settings.languages.iter().any(|l| l == kit.id);
    let kits = Kit::all().into_iter();
    kits.filter(|kit| kit.games().contains(&settings.game) && is_allowed(kit)).collect()
}

async fn hand_in_page(
    app: &App,
    arena: &ArenaHandle,
    visitor: &Visitor,
    filled: Filled,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Author)?;
    let settings = arena.settings();
    let kits = kits(arena);
    let wanted = kits.iter().find(|kit| kit.id == filled.language);
    // What most people know, and what is there on most machines.
    let usual = || kits.iter().find(|kit| kit.id == "python").or(kits.first());
    let kit = wanted.or_else(usual);
    let file = kit.and_then(|kit| kit.main_file(settings.game)).unwrap_or_default();
    let starter = kit.and_then(|kit| kit.files(settings.game, "bot").remove(&file));
    let own = app.store.own_bot(arena.id(), person.id).await?;
    let board = arena.board();
    let quota = quota(app, &settings, own.as_ref()).await?;
    let (code, origin) = match filled.code {
        Some(code) => (code, "what you just sent"),
        None => (starter.unwrap_or_default(), "the starter kit"),
    };
    let opponents = boss_names(settings.game);
    let model = HandIn {
        arena: views::head(arena, &board, visitor),
        bot: own.as_ref().map(|bot| match board.bots.get(&bot.id) {
            Some(found) => views::bot_ref(&board, found),
            None => agon_ladder_pages::model::BotRef {
                slug: bot.slug.clone(),
                name: bot.name.clone(),
                ..Default::default()
            },
        }),
        closed: closed(arena, own.as_ref(), now()),
        error: filled.error,
        game_rules: super::game::address(settings.game),
        languages: kits
            .iter()
            .map(|kit| LanguageChoice {
                id: kit.id.to_owned(),
                name: kit.manifest.language.clone(),
            })
            .collect(),
        language: kit.map(|kit| kit.id.to_owned()).unwrap_or_default(),
        file,
        code,
        origin: origin.to_owned(),
        name: if own.is_none() && filled.name.is_empty() {
            person.shown.clone()
        } else {
            filled.name
        },
        message: filled.message,
        opponents: opponents
            .iter()
            .enumerate()
            .map(|(number, name)| Choice { id: name.clone(), label: name.clone(), on: number == 0 })
            .collect(),
        quota,
        shell: Vec::new(),
    };
    Ok(html(pages::hand_in(&visitor.context(), &model)))
}

/// Says why nothing can be handed in, if nothing can.
fn closed(arena: &ArenaHandle, bot: Option<&Bot>, began: i64) -> Option<String> {
    let of = arena.get();
    let season = &of.settings.season;
    if let Some(why) = of.settings.outdated() {
        return Some(super::account::sentence(&why));
    }
    let stopped = bot.and_then(|bot| bot.stopped.as_ref());
    if let Some(stopped) = stopped.filter(|stopped| stopped.by == StoppedBy::Organiser) {
        return Some(format!("An organiser excluded your bot: {}.", stopped.why));
    }
    if season.begin.is_some_and(|begin| began < begin) {
        return Some("The season has not begun.".to_owned());
    }
    (!season.is_open(began)).then(|| "The deadline has passed.".to_owned())
}

async fn quota(
    app: &App,
    settings: &crate::store::arenas::ArenaSettings,
    bot: Option<&Bot>,
) -> Shown<Quota> {
    let used = match bot {
        Some(bot) => app.store.handed_in_since(bot.id, now() - DAY).await?,
        None => 0,
    };
    let left = u64::from(settings.daily).saturating_sub(used);
    Ok(Quota {
        left: left as u32,
        per_day: settings.daily,
        next: (left == 0).then(|| time(now() + DAY)),
        bytes: MAX_BYTES,
        files: MAX_FILES as u32,
    })
}

/// Reads what the page sent: the editor's text with the kit of its language, or files.
pub(super) fn read(arena: &ArenaHandle, upload: &Upload) -> Result<Complete, FilesError> {
    let game = arena.settings().game;
    let fields = &upload.fields;
    let done = match fields.get("way") {
        "files" => complete(files(upload)?, game)?,
        _ => {
            let language = fields.get("language");
            let kit = kits(arena).into_iter().find(|kit| kit.id == language);
            let Some(kit) = kit else {
                let why = "this language is not allowed here; choose another one".to_owned();
                return Err(unclear(why));
            };
            let mut own = Files::default();
            let main = kit.main_file(game).unwrap_or_default();
            own.add(&main, fields.get("code").as_bytes().to_vec(), false)?;
            from_kit(&kit, game, own)?
        }
    };
    check_language(arena, &done)?;
    Ok(done)
}

fn files(upload: &Upload) -> Result<Files, FilesError> {
    let archives = upload.files.len() == 1 && is_archive(&upload.files[0].contents);
    if archives {
        return unpack(&upload.files[0].contents);
    }
    let mut files = Files::default();
    for file in &upload.files {
        // A script is often meant to be started, and browsers do not send whether it can be.
        let is_script = file.contents.starts_with(b"#!") || file.contents.starts_with(b"\x7fELF");
        files.add(&file.name, file.contents.to_vec(), is_script)?;
    }
    Ok(files.without_common_folder())
}

/// Checks that the arena allows the language, as far as the manifest says it.
fn check_language(arena: &ArenaHandle, done: &Complete) -> Result<(), FilesError> {
    let allowed = arena.settings().languages;
    let Some(language) = done.manifest.language.as_deref().filter(|_| !allowed.is_empty()) else {
        return if allowed.is_empty() {
            Ok(())
        } else {
            let why = "agon.toml must say the `language`, because this arena allows some only";
            Err(unclear(why.to_owned()))
        };
    };
    let kit = Kit::find(language).ok();
    if kit.is_some_and(|kit| allowed.iter().any(|id| id == kit.id)) {
        return Ok(());
    }
    let language = agon_text::shown_name(language);
    Err(unclear(format!("{language} is not allowed in this arena")))
}

pub(super) async fn hand_in(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    Started(began): Started,
    upload: Upload,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Author)?;
    let arena = views::arena(&app, &slug)?;
    let (reading, sent) = (arena.clone(), upload.clone());
    let read = spawn_blocking(move || read(&reading, &sent)).await.map_err(anyhow::Error::from)?;
    let handed = match read {
        Ok(done) => enter(&app, &arena, person, &done, &upload.fields, began).await?,
        Err(error) => Err(error.to_string()),
    };
    match handed {
        Ok(place) => Ok(to(&place)),
        Err(error) => {
            app.metrics.hand_in(false);
            let fields = &upload.fields;
            let filled = Filled {
                language: fields.get("language").to_owned(),
                code: (fields.get("way") != "files").then(|| fields.get("code").to_owned()),
                name: fields.get("name").to_owned(),
                message: fields.get("message").to_owned(),
                error: Some(error),
            };
            let mut response = hand_in_page(&app, &arena, &visitor, filled).await?;
            *response.status_mut() = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
            Ok(response)
        }
    }
}

/// Enters a version of an author's bot. Once it returns, the version cannot get lost.
///
/// Returns where its page is, or why it cannot be entered.
pub(super) async fn enter(
    app: &App,
    arena: &ArenaHandle,
    person: &Person,
    done: &Complete,
    fields: &Fields,
    began: i64,
) -> Shown<Result<String, String>> {
    let known = app.store.own_bot(arena.id(), person.id).await?;
    if let Some(why) = closed(arena, known.as_ref(), began) {
        return Ok(Err(why));
    }
    let settings = arena.settings();
    let quota = quota(app, &settings, known.as_ref()).await?;
    if quota.left == 0 {
        let daily = settings.daily;
        return Ok(Err(format!("You have handed in {daily} versions within a day; wait a while.")));
    }
    let name = match fields.get("name").trim() {
        _ if known.is_some() => String::new(),
        "" => person.shown.clone(),
        name => match bot_name(name) {
            Ok(name) => name,
            Err(why) => return Ok(Err(why)),
        },
    };
    // Only what can be entered is stored.
    let (files, blobs) = (done.files.clone(), app.blobs.clone());
    let stored = spawn_blocking(move || blobs.put_durable(&pack(&files))).await;
    let source = match stored.map_err(anyhow::Error::from)? {
        Ok(digest) => digest,
        Err(error) => return Err(disk_failure(&error)),
    };
    let mut statements = Vec::new();
    let bot = match known {
        Some(bot) => bot,
        None => {
            let slug = free_slug(app, arena, &name).await?;
            let bot = Bot {
                id: fresh_id(),
                arena: arena.id(),
                owner: Some(person.id),
                slug,
                name,
                active: None,
                stopped: None,
                created: now(),
            };
            statements.push(bot.insert());
            bot
        }
    };
    let versions = app.store.versions(bot.id).await?;
    let before = versions.iter().find(|version| Some(version.id) == bot.active);
    let mean_us = before.map_or(0, |before| before.play.mean_us);
    let skill = before.map_or_else(Skill::default, |before| {
        use agon_ladder::{Entrant, VersionId};
        let skill = Skill { mu: before.play.mu, sigma: before.play.sigma };
        let old = Entrant { skill, ..Entrant::new(VersionId(0), 0) };
        old.successor(VersionId(1)).skill
    });
    let message = agon_text::name::cut(fields.get("message").trim(), MESSAGE);
    let language = done.manifest.language.clone().unwrap_or_else(|| "other".to_owned());
    let version = Version {
        id: fresh_id(),
        bot: bot.id,
        number: versions.first().map_or(1, |last| last.number + 1),
        state: VersionStored::Waiting,
        source: Some(source),
        built: None,
        run: done.manifest.spec(),
        language: agon_text::shown_name(&language).into_owned(),
        message: agon_text::escape_lines(message).into_owned(),
        created: began,
        ready: None,
        report: None,
        play: PlayState { mu: skill.mu, sigma: skill.sigma, mean_us, ..PlayState::default() },
    };
    let subject = format!("{} v{}", bot.slug, version.number);
    statements.push(version.insert());
    statements.push(audit::note(Some(person.id), "version.hand-in", &subject, ""));
    app.store.write(statements).await?;
    app.metrics.hand_in(true);
    tracing::info!(arena = arena.get().slug, subject, person = person.name, "a version came");
    app.queue().wake();
    arena.touch();
    let slug = &arena.get().slug;
    Ok(Ok(format!("/arenas/{slug}/bots/{}/versions/{}", bot.slug, version.number)))
}

fn disk_failure(error: &agon_arena::StoreError) -> Failure {
    tracing::error!("a hand-in cannot be stored: {error}");
    super::reply::failure(
        507,
        "The server cannot store it",
        "Nothing was handed in. Tell the people who run this server, and try again later.",
    )
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

/// When a request began: before its body was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started(pub(super) i64);

impl<S: Sync> axum::extract::FromRequestParts<S> for Started {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        _: &mut axum::http::request::Parts,
        _: &S,
    ) -> Result<Started, Self::Rejection> {
        Ok(Started(now()))
    }
}
