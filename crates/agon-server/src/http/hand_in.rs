//! The page on which authors hand in, and what it sends.

use agon_ladder_pages::{
    model::{Choice, HandIn, LanguageChoice, ShellStep},
    pages,
};
use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;
use tokio::task::spawn_blocking;

use super::{
    bot::why_stopped,
    closed::closed,
    entry::{Started, enter, kits, quota, read},
    form::{Fields, Upload},
    latest_code::latest,
    reply::{Shown, again, html, to},
    views,
    visitor::Visitor,
};
use crate::{
    accounts::name::word,
    app::App,
    arena_handle::ArenaHandle,
    arenas::boss_names,
    store::{arenas::Arrival, bots::StoppedBy, people::Role},
};

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
        let kit = kits(&app, &arena).into_iter().find(|kit| kit.id == trial.language);
        let main = kit.and_then(|kit| kit.main_file(arena.settings().game)).unwrap_or_default();
        let file = trial.bot.files.get(&main);
        filled.code = file.map(|file| String::from_utf8_lossy(&file.contents).into_owned());
        (filled.language, filled.message) = (trial.language, trial.message);
    }
    hand_in_page(&app, &arena, &visitor, filled).await
}

async fn hand_in_page(
    app: &App,
    arena: &ArenaHandle,
    visitor: &Visitor,
    filled: Filled,
) -> Shown<Response> {
    let person = visitor.must_be(Role::Author)?;
    let settings = arena.settings();
    let kits = kits(app, arena);
    let own = app.store.own_bot(arena.id(), person.id).await?;
    let latest = latest(app, own.as_ref(), settings.game, kits.clone()).await?;
    let fitting = latest.as_ref().and_then(|latest| latest.fits.as_ref()).map(|(kit, _)| *kit);
    let language = match filled.language.as_str() {
        "" => fitting.unwrap_or_default(),
        chosen => chosen,
    };
    let wanted = kits.iter().find(|kit| kit.id == language);
    // What most people know, and what is there on most machines.
    let usual = || kits.iter().find(|kit| kit.id == "python").or(kits.first());
    let kit = wanted.or_else(usual);
    let file = kit.and_then(|kit| kit.main_file(settings.game)).unwrap_or_default();
    let starter = kit.and_then(|kit| kit.files(settings.game, "bot").remove(&file));
    let board = arena.board();
    let quota = quota(app, &settings, own.as_ref()).await?;
    let extension = app.store.extension(arena.id(), person.id).await?;
    let opponents = boss_names(settings.game);
    let language = kit.map(|kit| kit.id).unwrap_or_default();
    let opened =
        latest.as_ref().and_then(|latest| Some((latest.number, latest.code_in(language)?)));
    let is_sent = filled.code.is_some();
    let (code, origin) = match (filled.code, opened) {
        (Some(code), _) => (code, "what you just sent".to_owned()),
        (None, Some((number, code))) => (code.to_owned(), format!("your version {number}")),
        (None, None) => (starter.unwrap_or_default(), "the starter kit".to_owned()),
    };
    // A new version ends only the pause of a bot that kept failing.
    let stopped = own.as_ref().and_then(|bot| bot.stopped.as_ref());
    let stopped = stopped.filter(|stopped| stopped.by != StoppedBy::Failures);
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
        closed: closed(arena, own.as_ref(), Arrival::now(), extension),
        stopped: stopped.map(|stopped| why_stopped(&settings, stopped)),
        until: extension.map(|until| views::zoned(until, &arena.get())),
        error: filled.error,
        game_rules: super::game::address(settings.game),
        languages: kits
            .iter()
            .map(|kit| LanguageChoice {
                id: kit.id.to_owned(),
                name: kit.manifest.language.clone(),
            })
            .collect(),
        language: language.to_owned(),
        file,
        code,
        origin,
        is_sent,
        draft: format!("{}/{}", person.id, arena.id()),
        replaces: latest.as_ref().and_then(|latest| latest.not_opened(language)),
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
        shell: shell(
            &visitor.base,
            &person.name,
            arena,
            language,
            &word(own.as_ref().map_or(&person.shown, |bot| &bot.name)),
        ),
    };
    Ok(html(pages::hand_in(&visitor.context(), &model)))
}

/// Returns how to hand in from a shell: `docs/submit.md`. The folder gives a new bot its name.
fn shell(
    base: &str,
    name: &str,
    arena: &ArenaHandle,
    language: &str,
    folder: &str,
) -> Vec<ShellStep> {
    let step = |words: &str, command: String| ShellStep { words: words.to_owned(), command };
    let (game, slug) = (arena.settings().game, arena.get().slug.clone());
    let begin = format!("agon new {game} {language} {folder}");
    let sign_in = format!("agon login {base} --name {name}");
    let submit = format!("agon submit {folder} --arena {slug} -m \"what changed\"");
    vec![
        step("Begin a bot, if you have none", begin),
        step("Sign in, once on each machine", sign_in),
        step("Hand in the folder", submit),
    ]
}

/// Says what the author has to confirm before text of the editor replaces a version that the
/// editor did not open, unless it is confirmed.
pub(super) async fn unasked(
    app: &App,
    arena: &ArenaHandle,
    person: i64,
    fields: &Fields,
    language: &str,
) -> Shown<Option<String>> {
    if fields.get("replace") == "yes" {
        return Ok(None);
    }
    let own = app.store.own_bot(arena.id(), person).await?;
    let latest = latest(app, own.as_ref(), arena.settings().game, kits(app, arena)).await?;
    let why = latest.and_then(|latest| latest.not_opened(language));
    Ok(why.map(|why| format!("{why} Nothing was handed in. To replace it, tick the box.")))
}

pub(super) async fn hand_in(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
    started: Started,
    upload: Upload,
) -> Shown<Response> {
    let arrival = started.arrived();
    let person = visitor.must_be(Role::Author)?;
    let arena = views::arena(&app, &slug)?;
    let (reading, sent, of) = (arena.clone(), upload.clone(), app.clone());
    let read =
        spawn_blocking(move || read(&of, &reading, &sent)).await.map_err(anyhow::Error::from)?;
    let fields = &upload.fields;
    let asks = match fields.get("way") {
        "files" => None,
        _ => unasked(&app, &arena, person.id, fields, fields.get("language")).await?,
    };
    let handed = match read {
        Ok(_) if let Some(asks) = asks => Err(asks),
        Ok(done) => enter(&app, &arena, person, &done, fields, arrival)
            .await?
            .map_err(|refusal| refusal.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match handed {
        Ok(place) => Ok(to(&place)),
        Err(error) => {
            app.metrics.hand_in(false);
            let filled = Filled {
                language: fields.get("language").to_owned(),
                code: (fields.get("way") != "files").then(|| fields.get("code").to_owned()),
                name: fields.get("name").to_owned(),
                message: fields.get("message").to_owned(),
                error: Some(error),
            };
            let page = hand_in_page(&app, &arena, &visitor, filled).await?;
            Ok(again(StatusCode::UNPROCESSABLE_ENTITY, page))
        }
    }
}
