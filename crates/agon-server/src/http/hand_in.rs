//! The page on which authors hand in, and what it sends.

use agon_arena::Bundle;
use agon_ladder::api::BotRef;
use agon_ladder::archive::{MAX_BYTES, MAX_FILES};

use super::entry::{self, Sent, Started, Wanted, closed, enter, kits, read};
use super::{bot::why_stopped, prelude::*, rules};
use crate::{accounts::name::word, arenas::boss_names, store::bots::Bot};

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

pub(super) async fn page(get: Get<String, HandInQuery>) -> Page {
    let Get { app, path: arena, query, visitor } = get;
    let arena = views::arena(&app, &arena)?;
    let mut filled = Filled { language: query.language, ..Filled::default() };
    let tried = query.r#try.and_then(|id| app.tries.get(id));
    if let Some(trial) = tried.filter(|trial| visitor.is(Some(trial.owner))) {
        let kit = kits(&app, &arena).into_iter().find(|kit| kit.id == trial.language);
        let main = kit.and_then(|kit| kit.main_file(arena.settings().game)).unwrap_or_default();
        let file = trial.bot.files.get(&main);
        filled.code = file.map(|file| String::from_utf8_lossy(&file.contents).into_owned());
        (filled.language, filled.message) = (trial.language, trial.message);
    }
    hand_in_page(&app, &arena, &visitor, filled).await
}

async fn hand_in_page(app: &App, arena: &ArenaHandle, visitor: &Visitor, filled: Filled) -> Page {
    let person = visitor.must_be(Role::Author)?;
    let settings = arena.settings();
    let own = app.store.own_bot(arena.id(), person.id).await?;
    let extension = app.store.extension(arena.id(), person.id).await?;
    let head = views::head(arena, &arena.board(), visitor);
    let draft = format!("{}/{}", person.id, arena.id());
    if let Some(reason) = closed(arena, own.as_ref(), Arrival::now(), extension) {
        let main = html! {
            h1 { "Hand in" }
            div.notice.warning { p { strong { "You cannot hand in now. " } (reason) } }
            // The script shows here what was typed before handing in was over.
            section aria-labelledby="typed" data-drafts=(draft) hidden {
                h2 #typed { "What you did not hand in" }
                p { "You typed it in this tab, and it is nowhere else. Copy it to keep it." }
                div.field.code {
                    label for="draft" { "Your text" }
                    textarea #draft rows="24" readonly spellcheck="false" wrap="off" {}
                    button type="button" data-copy="draft" hidden { "Copy" }
                }
            }
        };
        return Ok(arena_page(visitor, &head, Tab::HandIn, "Hand in", main));
    }
    let versions = entry::left(app, &settings, own.as_ref()).await?;
    let name = match (&own, filled.name.as_str()) {
        (None, "") => person.shown.as_str(),
        (_, name) => name,
    };
    let hint = "Everybody can read it in the list of versions.";
    let fields = |prefix: &str| fields(prefix, own.is_none(), name, &filled.message, hint);
    let form = (draft.as_str(), fields("editor"));
    let (editor, language) =
        editor(app, visitor, arena, &head, own.as_ref(), &filled, form).await?;
    let folder = word(own.as_ref().map_or(&person.shown, |bot| &bot.name));
    let base = &visitor.base;
    let game = settings.game;
    let slug = &head.arena.slug;
    // As `docs/submit.md` says. The folder gives a new bot its name.
    let steps = [
        ("Begin a bot, if you have none", format!("agon new {game} {language} {folder}")),
        ("Sign in, once on each machine", format!("agon login {base} --name {}", person.name)),
        ("Hand in the folder", format!("agon submit {folder} --arena {slug} -m \"what changed\"")),
    ];
    let main = html! {
        h1 { "Hand in" }
        (form::problem(filled.error.as_deref()))
        (about(arena, &head, own.as_ref()))
        p {
            @if own.is_none() { "The code below is a complete bot that makes random moves. " }
            a href=(rules::game_address(settings.game)) { "The rules of the game" }
            " say what a bot sees and what it can answer."
        }
        @let own_deadline = extension.map(|until| views::zoned(until, &arena.get()));
        @if let Some(deadline) = own_deadline.or(head.deadline()) {
            p {
                @if own_deadline.is_some() { "Your deadline: " } @else { "Deadline: " }
                (zoned(deadline))
                @if let Some(left) = left(deadline.at) { " · " b { (left) } }
            }
        }
        dl.facts-list {
            div {
                dt { "Hand-ins left today" }
                dd {
                    b { (versions) } " of " (settings.daily)
                    @if versions == 0 {
                        @let next = time(now() + entry::DAY);
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
        nav.ways aria-label="Ways to hand in" {
            a href="#editor" { "In the editor" }
            a href="#files" { "Files or a folder" }
            a href="#shell" { "From a shell" }
        }
        (editor)
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
                (fields("files"))
                button.primary type="submit" { "Hand in these files" }
            }
        }
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

/// Writes the fields that all forms to hand in have.
pub(super) fn fields(
    prefix: &str,
    is_first: bool,
    name: &str,
    message: &str,
    hint: &str,
) -> Markup {
    html! {
        @if is_first {
            (Field {
                label: "Name of your bot", name: "name", prefix, value: name, required: true,
                most: form::MAX_NAME, autocomplete: "off", ..Default::default()
            })
        }
        (Field {
            label: "What changed (optional)", name: "message", prefix, value: message, hint,
            most: form::MAX_MESSAGE, autocomplete: "off", ..Default::default()
        })
    }
}

/// Writes the editor, with the starter kit, the latest version, or what was just sent. Also returns
/// the chosen language.
///
/// `draft` names drafts in the author's browser: account and arena. The script keeps in the tab
/// what is typed, and brings it back until it is handed in.
async fn editor(
    app: &App,
    visitor: &Visitor,
    arena: &ArenaHandle,
    head: &Head,
    own: Option<&Bot>,
    filled: &Filled,
    (draft, fields): (&str, Markup),
) -> Shown<(Markup, &'static str)> {
    let game = arena.settings().game;
    let kits = kits(app, arena);
    let latest = latest(app, own, game, kits.clone()).await?;
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
    // The name of the file: `bot.py`.
    let file = kit.and_then(|kit| kit.main_file(game)).unwrap_or_default();
    let starter = || kit.and_then(|kit| kit.files(game, "bot").remove(&file));
    let opened =
        latest.as_ref().and_then(|latest| Some((latest.number, latest.code_in(language)?)));
    let (code, origin) = match (&filled.code, opened) {
        (Some(code), _) => (code.clone(), "what you just sent".to_owned()),
        (None, Some((number, code))) => (code.to_owned(), format!("your version {number}")),
        (None, None) => (starter().unwrap_or_default(), "the starter kit".to_owned()),
    };
    // Why it did not open the latest version, which its text would replace.
    let replaces = latest.as_ref().and_then(|latest| latest.not_opened(language));
    let of_game = link::segment(&head.arena.game);
    // Who has to sign in first comes back to the same language.
    let action = format!("{}?language={}", head.below("hand-in"), link::value(language));
    let editor = html! {
        section.way aria-labelledby="editor" {
            h2 #editor { "In the editor" }
            @if kits.len() > 1 {
                nav.switch aria-label="Language" {
                    @for kit in &kits {
                        a href={ "?language=" (link::value(kit.id)) "#editor" }
                            aria-current=[(kit.id == language).then_some("true")] {
                            (names::text(&kit.manifest.language))
                        }
                    }
                }
            }
            @if !language.is_empty() {
                @let kit = format!("/games/{of_game}/kits/{}", link::segment(language));
                p { a href=(kit) download { "Download the starter kit" } " (.zip)" }
            }
            form method="post" action=(action) enctype="multipart/form-data"
                data-editor="true" data-draft=(draft) data-sent[filled.code.is_some()] {
                (form::csrf(visitor))
                (form::hidden("way", "editor"))
                (form::hidden("language", language))
                (form::hidden("file", &file))
                div.notice.warning data-restored hidden {
                    p { "This is what you typed in this tab and did not hand in." }
                    p { button type="button" { "Discard it and open " (origin) } }
                }
                div.field.code {
                    label for="code" {
                        code { (names::shown(&file, "Code")) }
                        small { " from " (origin) }
                    }
                    textarea #code name="code" rows="24" spellcheck="false"
                        autocapitalize="off" autocomplete="off" wrap="off"
                        aria-describedby="code-about" { "\n" (form::raw(&code)) }
                    p.hint #code-about data-keys=(KEYS) {
                        "A bot with several files needs one of the other ways."
                    }
                }
                (fields)
                (form::replaces("editor", replaces.as_deref()))
                div.row.actions {
                    button.primary type="submit" { "Hand in" }
                    div.field.inline {
                        label for="opponent" { "or a trial match against" }
                        select #opponent name="opponent" {
                            @for (at, name) in boss_names(game).iter().enumerate() {
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
    };
    Ok((editor, language))
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
    Get { app, path: slug, visitor, .. }: Get<String>,
    started: Started,
    upload: Upload,
) -> Page {
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
    let name = fields.get("name");
    let message = fields.get("message");
    let wanted = Wanted { name, message, nonce: None };
    let handed = match read(&app, &arena, sent).await? {
        Ok(_) if let Some(asks) = asks => Err(unusable(asks)),
        Ok(done) => enter(&app, &arena, person, &done, &wanted, arrival).await,
        Err(error) => Err(unusable(error.to_string())),
    };
    match handed {
        Ok(place) => Ok(to(&place)),
        Err(failure) if !failure.is_refusal() => Err(failure),
        Err(refusal) => {
            app.metrics.hand_in(false);
            let filled = Filled {
                language,
                code,
                name: name.to_owned(),
                message: message.to_owned(),
                error: Some(refusal.advice),
            };
            let page = hand_in_page(&app, &arena, &visitor, filled).await?;
            Ok(again(StatusCode::UNPROCESSABLE_ENTITY, page))
        }
    }
}

/// The latest version of a bot. The editor begins with it, if a single file of it differs from a
/// starter kit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Latest {
    /// Its number.
    pub(super) number: u32,
    /// Its kit and its main file, if it fits into the editor.
    pub(super) fits: Option<(&'static str, String)>,
}

impl Latest {
    /// Returns its code, if the editor shows it in the language of a kit.
    pub(super) fn code_in(&self, kit: &str) -> Option<&str> {
        self.fits.as_ref().filter(|(own, _)| *own == kit).map(|(_, code)| code.as_str())
    }

    /// Says why the editor, in the language of a kit, did not open this version, if it did not.
    pub(super) fn not_opened(&self, kit: &str) -> Option<String> {
        let why = match &self.fits {
            Some((own, _)) if *own == kit => return None,
            Some(_) => "is in another language",
            None => "came from an archive or from several files, so the editor cannot open it",
        };
        let number = self.number;
        Some(format!("Your version {number} {why}. What is in the editor replaces all of it."))
    }
}

/// Returns the latest version of a bot.
pub(super) async fn latest(
    app: &App,
    bot: Option<&Bot>,
    game: GameId,
    kits: Vec<Kit>,
) -> Shown<Option<Latest>> {
    let Some(bot) = bot else { return Ok(None) };
    let versions = app.store.versions(bot.id).await?;
    let Some(version) = versions.into_iter().next() else { return Ok(None) };
    let number = version.number;
    let Some(source) = version.source else { return Ok(Some(Latest { number, fits: None })) };
    let blobs = app.blobs.clone();
    let read = blocking(move || -> anyhow::Result<Option<(&'static str, String)>> {
        let bundle = Bundle::from_bytes(&blobs.get(source)?)?;
        let files: Vec<(&str, &[u8])> =
            bundle.files().map(|(path, contents, _)| (path, contents)).collect();
        Ok(kits.iter().find_map(|kit| Some((kit.id, main_file(kit, game, &files)?))))
    });
    // A blob that is missing is no reason not to show the page.
    let fits = read.await?.unwrap_or_default();
    Ok(Some(Latest { number, fits }))
}

/// Returns the main file of a kit, if all other files are those of the kit.
fn main_file(kit: &Kit, game: GameId, files: &[(&str, &[u8])]) -> Option<String> {
    let main = kit.main_file(game)?;
    let of_kit = kit.files(game, "bot");
    let is_of_kit = |(path, contents): &(&str, &[u8])| {
        *path == main || of_kit.get(*path).is_some_and(|text| text.as_bytes() == *contents)
    };
    if !files.iter().all(is_of_kit) {
        return None;
    }
    let (_, code) = files.iter().find(|(path, _)| *path == main)?;
    String::from_utf8(code.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_kit_completes_fits_into_the_editor() {
        let game = GameId::OWN[0];
        let kit = Kit::find("python").unwrap();
        let main = kit.main_file(game).unwrap();
        let files = kit.files(game, "bot");
        let mut own: Vec<(&str, &[u8])> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
        for (path, contents) in &mut own {
            if *path == main {
                *contents = b"mine";
            }
        }
        assert_eq!(main_file(&kit, game, &own).as_deref(), Some("mine"));
        let with = |more: (&'static str, &'static [u8])| [own.clone(), vec![more]].concat();
        assert_eq!(main_file(&kit, game, &with(("helper.py", b"x"))), None);
        own.retain(|(path, _)| *path != main);
        assert_eq!(main_file(&kit, game, &own), None);
    }
}
