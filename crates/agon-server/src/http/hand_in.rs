//! The page on which authors hand in, and what it sends.

use agon_console::kits::Kit;
use agon_ladder::api::{BotRef, Role};
use agon_ladder::archive::{MAX_BYTES, MAX_FILES};
use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    bot::why_stopped,
    closed::closed,
    entry::{self, Sent, Started, Wanted, enter, kits, read},
    form::{Fields, Upload},
    game,
    latest_code::latest,
    parts::{
        form::{self, Field},
        layout::{Head, Tab, arena_page},
        link, names,
        number::{bytes, counted},
        time::{left, time, utc, zoned},
    },
    reply::{Shown, again, to},
    views,
    visitor::Visitor,
};
use crate::{
    accounts::name::word,
    app::App,
    arena_handle::ArenaHandle,
    arenas::boss_names,
    store::{
        arenas::Arrival,
        bots::{Bot, StoppedBy},
        now,
    },
};

/// What the script adds to the hint of the editor.
const KEYS: &str = "Tab indents. Escape, then Tab leaves the editor.";

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
    let extension = app.store.extension(arena.id(), person.id).await?;
    let head = views::head(arena, &arena.board(), visitor);
    let draft = format!("{}/{}", person.id, arena.id());
    if let Some(reason) = closed(arena, own.as_ref(), Arrival::now(), extension) {
        let main = html! {
            h1 { "Hand in" }
            div.notice.warning { p { strong { "You cannot hand in now. " } (reason) } }
            (kept_draft(&draft))
        };
        return Ok(arena_page(visitor, &head, Tab::HandIn, "Hand in", main));
    }
    let versions = entry::left(app, &settings, own.as_ref()).await?;
    let editor = Editor::new(app, arena, own.as_ref(), &kits, &filled).await?;
    let name = match (&own, filled.name.as_str()) {
        (None, "") => person.shown.as_str(),
        (_, name) => name,
    };
    let fields = |prefix: &str| fields(prefix, own.is_none(), name, &filled.message);
    let folder = word(own.as_ref().map_or(&person.shown, |bot| &bot.name));
    let steps = shell(&visitor.base, &person.name, arena, editor.language(), &folder);
    let main = html! {
        h1 { "Hand in" }
        (form::problem(filled.error.as_deref()))
        (about(arena, &head, own.as_ref()))
        p {
            @if own.is_none() { "The code below is a complete bot that makes random moves. " }
            a href=(game::address(settings.game)) { "The rules of the game" }
            " say what a bot sees and what it can answer."
        }
        (deadline(arena, &head, extension))
        (quota(versions, settings.daily))
        nav.ways aria-label="Ways to hand in" {
            a href="#editor" { "In the editor" }
            a href="#files" { "Files or a folder" }
            a href="#shell" { "From a shell" }
        }
        (editor.write(visitor, &head, &draft, fields("editor")))
        (files(visitor, &head, fields("files")))
        section.way aria-labelledby="shell" {
            h2 #shell { "From a shell" }
            p {
                a href=(head.below("agents.txt")) { "Everything for taking part as plain text" }
                ", for coding agents and shells."
            }
            ol.shell {
                @for (at, (words, command)) in steps.iter().enumerate() {
                    li { (form::copied(&format!("shell-{at}"), words, command)) }
                }
            }
        }
    };
    Ok(arena_page(visitor, &head, Tab::HandIn, "Hand in", main))
}

/// Says what becomes of what is handed in.
fn about(arena: &ArenaHandle, head: &Head, own: Option<&Bot>) -> Markup {
    let board = arena.board();
    let named = own.map(|bot| match board.bots.get(&bot.id) {
        Some(found) => views::bot_ref(&board, found),
        None => BotRef { slug: bot.slug.clone(), name: bot.name.clone(), ..BotRef::default() },
    });
    // A new version ends only the pause of a bot that kept failing.
    let stopped = own.and_then(|bot| bot.stopped.as_ref());
    let stopped = stopped.filter(|stopped| stopped.by != StoppedBy::Failures);
    html! {
        p {
            @if let Some(own) = &named {
                "This becomes a new version of " (names::bot(&head.arena.slug, own)) ". "
            } @else {
                "This becomes your first version. "
            }
            "Agon builds and examines it"
            @if let Some(stopped) = stopped {
                ". It does not play then, because your bot is paused. "
                (why_stopped(&arena.settings(), stopped))
            } @else {
                ", and then it plays"
                @if named.is_some() { " in place of the one before" }
                "."
            }
        }
    }
}

/// Writes the author's deadline.
fn deadline(arena: &ArenaHandle, head: &Head, extension: Option<i64>) -> Markup {
    let own = extension.map(|until| views::zoned(until, &arena.get()));
    let Some(deadline) = own.or(head.deadline()) else { return html! {} };
    html! {
        p {
            @if own.is_some() { "Your deadline: " } @else { "Deadline: " }
            (zoned(deadline))
            @if let Some(left) = left(deadline.at) { " · " b { (left) } }
        }
    }
}

fn quota(versions: u32, daily: u32) -> Markup {
    let next = (versions == 0).then(|| time(now() + entry::DAY));
    html! {
        dl.facts-list {
            div {
                dt { "Hand-ins left today" }
                dd {
                    b { (versions) } " of " (daily)
                    @if let Some(next) = next {
                        " · next " (utc(next))
                        @if let Some(left) = left(next) { " (" (left) ")" }
                    }
                }
            }
            div {
                dt { "Size" }
                dd {
                    "at most " (bytes(MAX_BYTES)) " in "
                    (counted(MAX_FILES as u64, "file", "files"))
                }
            }
        }
    }
}

/// Writes the fields that both forms have.
fn fields(prefix: &str, is_first: bool, name: &str, message: &str) -> Markup {
    html! {
        @if is_first {
            (Field {
                label: "Name of your bot", name: "name", prefix, value: name, required: true,
                most: form::MAX_NAME, autocomplete: "off", ..Default::default()
            })
        }
        (Field {
            label: "What changed (optional)", name: "message", prefix, value: message,
            hint: "Everybody can read it in the list of versions.", most: form::MAX_MESSAGE,
            autocomplete: "off", ..Default::default()
        })
    }
}

/// The editor, with the starter kit, the latest version, or what was just sent.
struct Editor<'a> {
    kits: &'a [Kit],
    /// The kit of the chosen language.
    kit: Option<&'a Kit>,
    /// The name of the file: `bot.py`.
    file: String,
    code: String,
    /// Where the code comes from: `the starter kit`, `your version 6`.
    origin: String,
    /// Whether the code was just sent, and is neither a version nor a starter kit.
    is_sent: bool,
    /// Why it did not open the latest version, which its text would replace.
    replaces: Option<String>,
    /// Opponents of a trial match.
    opponents: Vec<String>,
}

impl<'a> Editor<'a> {
    async fn new(
        app: &App,
        arena: &ArenaHandle,
        own: Option<&Bot>,
        kits: &'a [Kit],
        filled: &Filled,
    ) -> Shown<Editor<'a>> {
        let game = arena.settings().game;
        let latest = latest(app, own, game, kits.to_vec()).await?;
        let fitting = latest.as_ref().and_then(|latest| latest.fits.as_ref()).map(|(kit, _)| *kit);
        let language = match filled.language.as_str() {
            "" => fitting.unwrap_or_default(),
            chosen => chosen,
        };
        let wanted = kits.iter().find(|kit| kit.id == language);
        // What most people know, and what is there on most machines.
        let usual = || kits.iter().find(|kit| kit.id == "python").or(kits.first());
        let kit = wanted.or_else(usual);
        let language = kit.map(|kit| kit.id).unwrap_or_default();
        let file = kit.and_then(|kit| kit.main_file(game)).unwrap_or_default();
        let starter = || kit.and_then(|kit| kit.files(game, "bot").remove(&file));
        let opened =
            latest.as_ref().and_then(|latest| Some((latest.number, latest.code_in(language)?)));
        let (code, origin) = match (&filled.code, opened) {
            (Some(code), _) => (code.clone(), "what you just sent".to_owned()),
            (None, Some((number, code))) => (code.to_owned(), format!("your version {number}")),
            (None, None) => (starter().unwrap_or_default(), "the starter kit".to_owned()),
        };
        Ok(Editor {
            kits,
            kit,
            code,
            origin,
            is_sent: filled.code.is_some(),
            replaces: latest.as_ref().and_then(|latest| latest.not_opened(language)),
            opponents: boss_names(game),
            file,
        })
    }

    fn language(&self) -> &'a str {
        self.kit.map(|kit| kit.id).unwrap_or_default()
    }

    /// Writes it. `draft` names drafts in the author's browser: account and arena. The script keeps
    /// in the tab what is typed, and brings it back until it is handed in.
    fn write(&self, visitor: &Visitor, head: &Head, draft: &str, fields: Markup) -> Markup {
        let language = self.language();
        let game = link::segment(&head.arena.game);
        // Who has to sign in first comes back to the same language.
        let action = format!("{}?language={}", head.below("hand-in"), link::value(language));
        html! {
            section.way aria-labelledby="editor" {
                h2 #editor { "In the editor" }
                @if self.kits.len() > 1 {
                    nav.switch aria-label="Language" {
                        @for kit in self.kits {
                            a href={ "?language=" (link::value(kit.id)) "#editor" }
                                aria-current=[(kit.id == language).then_some("true")] {
                                (names::text(&kit.manifest.language))
                            }
                        }
                    }
                }
                @if !language.is_empty() {
                    @let kit = format!("/games/{game}/kits/{}", link::segment(language));
                    p { a href=(kit) download { "Download the starter kit" } " (.zip)" }
                }
                form method="post" action=(action) enctype="multipart/form-data"
                    data-editor="true" data-draft=(draft) data-sent[self.is_sent] {
                    (form::csrf(visitor))
                    (form::hidden("way", "editor"))
                    (form::hidden("language", language))
                    (form::hidden("file", &self.file))
                    div.notice.warning data-restored hidden {
                        p { "This is what you typed in this tab and did not hand in." }
                        p { button type="button" { "Discard it and open " (self.origin) } }
                    }
                    div.field.code {
                        label for="code" {
                            code { (names::shown(&self.file, "Code")) }
                            small { " from " (self.origin) }
                        }
                        textarea #code name="code" rows="24" spellcheck="false"
                            autocapitalize="off" autocomplete="off" wrap="off"
                            aria-describedby="code-about" { "\n" (form::raw(&self.code)) }
                        p.hint #code-about data-keys=(KEYS) {
                            "A bot with several files needs one of the other ways."
                        }
                    }
                    (fields)
                    (form::replaces("editor", self.replaces.as_deref()))
                    div.row.actions {
                        button.primary type="submit" { "Hand in" }
                        div.field.inline {
                            label for="opponent" { "or a trial match against" }
                            select #opponent name="opponent" {
                                @for (at, name) in self.opponents.iter().enumerate() {
                                    option value=(form::raw(name)) selected[at == 0] {
                                        (names::shown(name, "unnamed"))
                                    }
                                }
                            }
                        }
                        button type="submit" formaction=(head.below("try")) formnovalidate
                            data-try="true" { "Try it" }
                    }
                }
                div #try-result .try-result {}
            }
        }
    }
}

/// Writes where the script shows what was typed here before handing in was over.
fn kept_draft(draft: &str) -> Markup {
    html! {
        section aria-labelledby="typed" data-drafts=(draft) hidden {
            h2 #typed { "What you did not hand in" }
            p { "You typed it in this tab, and it is nowhere else. Copy it to keep it." }
            div.field.code {
                label for="draft" { "Your text" }
                textarea #draft rows="24" readonly spellcheck="false" wrap="off" {}
                button type="button" data-copy="draft" hidden { "Copy" }
            }
        }
    }
}

fn files(visitor: &Visitor, head: &Head, fields: Markup) -> Markup {
    html! {
        section.way aria-labelledby="files" {
            h2 #files { "Files or a folder" }
            form method="post" action=(head.below("hand-in")) enctype="multipart/form-data"
                data-drop="true" {
                (form::csrf(visitor))
                (form::hidden("way", "files"))
                div.drop {
                    p data-drop-text="You can also drop them here." {
                        "One file, several files, a folder, or an archive (.zip, .tar.gz)."
                    }
                    div.row {
                        div.field {
                            label for="upload-files" { "Files or an archive" }
                            input #upload-files name="files" type="file" multiple;
                        }
                        div.field {
                            label for="upload-folder" { "or a folder" }
                            input #upload-folder name="folder" type="file" webkitdirectory multiple;
                        }
                    }
                    ul.dropped aria-label="Dropped files" hidden {}
                }
                (fields)
                button.primary type="submit" { "Hand in these files" }
            }
        }
    }
}

/// Returns how to hand in from a shell: `docs/submit.md`. The folder gives a new bot its name.
fn shell(
    base: &str,
    name: &str,
    arena: &ArenaHandle,
    language: &str,
    folder: &str,
) -> [(&'static str, String); 3] {
    let (game, slug) = (arena.settings().game, arena.get().slug.clone());
    let begin = format!("agon new {game} {language} {folder}");
    let sign_in = format!("agon login {base} --name {name}");
    let submit = format!("agon submit {folder} --arena {slug} -m \"what changed\"");
    [
        ("Begin a bot, if you have none", begin),
        ("Sign in, once on each machine", sign_in),
        ("Hand in the folder", submit),
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
    let fields = &upload.fields;
    let code = (fields.get("way") != "files").then(|| fields.get("code").to_owned());
    let language = fields.get("language").to_owned();
    let (sent, asks) = match code.clone() {
        Some(code) => (
            Sent::Code { language: language.clone(), code },
            unasked(&app, &arena, person.id, fields, &language).await?,
        ),
        None => (Sent::Files(upload.files), None),
    };
    let (name, message) = (fields.get("name"), fields.get("message"));
    let wanted = Wanted { name, message, nonce: None };
    let handed = match read(&app, &arena, sent).await? {
        Ok(_) if let Some(asks) = asks => Err(asks),
        Ok(done) => enter(&app, &arena, person, &done, &wanted, arrival)
            .await?
            .map_err(|refusal| refusal.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match handed {
        Ok(place) => Ok(to(&place)),
        Err(error) => {
            app.metrics.hand_in(false);
            let filled = Filled {
                language,
                code,
                name: name.to_owned(),
                message: message.to_owned(),
                error: Some(error),
            };
            let page = hand_in_page(&app, &arena, &visitor, filled).await?;
            Ok(again(StatusCode::UNPROCESSABLE_ENTITY, page))
        }
    }
}
