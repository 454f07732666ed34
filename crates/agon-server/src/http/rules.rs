//! The rules of arenas and games, as pages; and all about an arena, for the API and as plain text.

use agon_ladder::api::{Arena, BotRef, Language, Limits, Quota, Season, Setting, ZonedTime};
use agon_ladder::archive::Files;
use agon_ladder::guide::{ArenaGuide, RANKING, Starter, ranks, sources};
use agon_match::spec::SandboxLevel;
use axum::extract::Path;
use maud::PreEscaped;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use super::entry::{self, kits};
use super::{finals, parts::lists::head, prelude::*};
use crate::accounts::name::word;

/// Returns all about an arena.
pub(super) async fn arena_of(app: &App, arena: &ArenaHandle, visitor: &Visitor) -> Shown<Arena> {
    let of = arena.get();
    let settings = &of.settings;
    let season = &settings.season;
    let game = settings.game;
    let language = |kit: Kit| Language {
        id: kit.id.to_owned(),
        build: kit.manifest.in_game(game).build,
        name: kit.manifest.language,
    };
    Ok(Arena {
        summary: views::head(arena, &arena.board(), visitor).arena,
        about: settings.about.clone(),
        game_summary: game.meta().summary.to_owned(),
        rules_version: settings.rules_version,
        preset: settings.preset.clone(),
        settings: views::settings(settings),
        players: settings.players as u32,
        limits: Limits {
            time_ms: settings.matches.time.limit,
            strikes: settings.matches.time.strikes.map(|strikes| strikes.get().into()),
            memory_mib: settings.matches.sandbox.memory.map(Into::into),
            strict_sandbox: settings.matches.sandbox.level == SandboxLevel::Strict,
            max_turns: settings.max_turns,
            versions_per_day: settings.daily,
            bytes: agon_ladder::archive::MAX_BYTES,
            files: agon_ladder::archive::MAX_FILES as u32,
        },
        season: Season {
            begin: season.begin.map(time),
            deadline: season.deadline.map(time),
            freeze: season.freeze.map(time),
            paused: season.is_paused,
        },
        languages: kits(app, arena).into_iter().map(language).collect(),
        bosses: bosses(arena),
        sources: settings.sources,
        ranks: settings.ranks(),
        quota: quota(app, arena, visitor).await?,
        finals: finals::of(app, &of).await?,
        final_of: finals::season_slug(app, &of),
        created: time(of.created),
    })
}

/// Returns Agon's bots that play along, in the order of the arena's settings.
fn bosses(arena: &ArenaHandle) -> Vec<BotRef> {
    let board = arena.board();
    let chosen = arena.settings().bosses;
    let place = |name: &str| chosen.iter().position(|boss| boss.name == name);
    let plays = |bot: &&BoardBot| bot.bot.owner.is_none() && bot.bot.stopped.is_none();
    let mut bosses: Vec<&BoardBot> = board.bots.values().filter(plays).collect();
    bosses.sort_by_key(|boss| (place(&boss.bot.name).unwrap_or(usize::MAX), boss.bot.created));
    bosses.into_iter().map(|boss| views::bot_ref(&board, boss)).collect()
}

async fn quota(app: &App, arena: &ArenaHandle, visitor: &Visitor) -> Shown<Option<Quota>> {
    let Ok(person) = visitor.must_be(Role::Author) else { return Ok(None) };
    let own = app.store.own_bot(arena.id(), person.id).await?;
    let settings = arena.settings();
    let extension = app.store.extension(arena.id(), person.id).await?;
    Ok(Some(Quota {
        left: entry::left(app, &settings, own.as_ref()).await?,
        per_day: settings.daily,
        closed: entry::closed(arena, own.as_ref(), Arrival::now(), extension),
        until: extension.map(time),
    }))
}

pub(super) async fn page(Get { app, path: slug, visitor, .. }: Get<String>) -> Page {
    let handle = views::arena(&app, &slug)?;
    let settings = handle.settings();
    let arena = arena_of(&app, &handle, &visitor).await?;
    let head = views::head(&handle, &handle.board(), &visitor);
    let is_final = arena.final_of.is_some();
    let finals = finals::rules(&app, &handle.get(), arena.finals.as_ref()).await?;
    let game = game_address(settings.game);
    let limits = limits_in_words(&settings, &arena.limits);
    let ranking = if is_final { finals::RANKING } else { RANKING };
    let main = html! {
        h1 { "Rules" }
        @if !arena.about.is_empty() { p.lead.paragraphs { (arena.about) } }
        div.columns {
            div {
                (section("game", "The game", html! {
                    p {
                        "Bots play " b { (names::shown(&arena.summary.game, "a game")) } ", "
                        (arena.players)
                        " in a match. " (arena.game_summary)
                    }
                    p {
                        a href=(game) { "The rules of the game" }
                        " say what a bot sees and what it can answer."
                    }
                    // Nobody can take part in a final any more.
                    @if arena.final_of.is_none() {
                        p {
                            a href=(head.below("agents.txt")) {
                                "Everything for taking part as plain text"
                            }
                            ", for coding agents and shells."
                        }
                    }
                    (settings_table("Settings of the game", &arena.settings))
                }))
                (section("limits", "Limits of bots", settings_table("Limits of bots", &limits)))
                (section("languages", "Languages", html! {
                    @if arena.languages.is_empty() {
                        p.empty { "No language is allowed yet." }
                    }
                    ul.languages {
                        @for language in &arena.languages {
                            li {
                                b { (names::text(&language.name)) }
                                @if let Some(build) = &language.build {
                                    " " small { (sentence(&format!("built with `{build}`"))) }
                                }
                            }
                        }
                    }
                }))
                (section("ranking", "How ranking works", html! {
                    p { (ranks(arena.ranks)) }
                    @for paragraph in ranking { p { (paragraph) } }
                }))
            }
            div {
                (section("dates", "Dates and hand-ins", html! {
                    @let at = |at| ZonedTime { at, offset: head.offset };
                    dl.pairs {
                        @if let Some(begin) = arena.season.begin {
                            dt { "Begins" } dd { (zoned(at(begin))) }
                        }
                        dt { "Deadline" }
                        dd {
                            @if let Some(deadline) = head.deadline() {
                                (zoned(deadline))
                                @if let Some(left) = left(deadline.at) { " · " b { (left) } }
                            } @else {
                                "none"
                            }
                        }
                        @if let Some(freeze) = arena.season.freeze {
                            dt { "Freeze" }
                            dd {
                                (zoned(at(freeze)))
                                small { " From then on nothing is played, and the tables stay." }
                            }
                        }
                        dt { "Hand-ins" }
                        dd {
                            @if arena.final_of.is_some() { "none: the versions are fixed" } @else {
                                @let daily = arena.limits.versions_per_day.into();
                                (counted(daily, "version", "versions")) " a day"
                            }
                        }
                        dt { "Sources" }
                        dd { (sources(arena.sources)) }
                    }
                }))
                (finals)
                @if !is_final {
                    (section("kits", "Starter kits", html! {
                        @let game = &arena.summary.game;
                        @let folder = match visitor.person {
                            Some(_) => word(visitor.name()),
                            None => "my-bot".to_owned(),
                        };
                        @if arena.languages.is_empty() {
                            p.empty { "There are none for this game." }
                        } @else {
                            p {
                                "Each has a complete bot that makes random moves. Open one in "
                                a href=(head.below("hand-in")) { "the editor" }
                                ", or take it to your machine:"
                            }
                        }
                        @for (at, kit) in arena.languages.iter().enumerate() {
                            @let command = format!("agon new {game} {} {folder}", kit.id);
                            @let label = names::shown(&kit.name, "Kit");
                            (form::copied(&format!("kit-{at}"), &label, &command))
                        }
                    }))
                }
                @if !arena.bosses.is_empty() {
                    (section("bosses", "Bosses", html! {
                        p { "Agon's own bots play along as milestones. Can you beat them?" }
                        ul.people {
                            @for boss in &arena.bosses { li { (names::bot(&slug, boss)) } }
                        }
                    }))
                }
            }
        }
    };
    Ok(arena_page(&visitor, &head, Tab::Rules, "Rules", main))
}

/// Returns the limits of bots with their meanings, as they are shown like settings.
fn limits_in_words(settings: &ArenaSettings, limits: &Limits) -> Vec<Setting> {
    let limit = |name: &str, value: String, meaning: &str| Setting {
        name: name.to_owned(),
        value: value.into(),
        meaning: meaning.to_owned(),
    };
    let time = format!("{} ms", views::time_of_answer(settings));
    let mut words = vec![limit("time for an answer", time, "CPU time; see the rules of the game")];
    if let Some(strikes) = limits.strikes {
        let meaning = "timeouts in a row, after which the bot is out of the match";
        words.push(limit("strikes", strikes.to_string(), meaning));
    }
    if let Some(memory) = limits.memory_mib {
        words.push(limit("memory", format!("{memory} MiB"), "of the bot with all its processes"));
    }
    if limits.strict_sandbox {
        let meaning = "matches are played only where bots can be confined fully";
        words.push(limit("sandbox", "strict".to_owned(), meaning));
    }
    if let Some(turns) = limits.max_turns {
        let name = format!("{}s", settings.game.meta().turn_name);
        words.push(limit(&name, turns.to_string(), "after which a match ends, if not before"));
    }
    words
}

fn settings_table(caption: &str, settings: &[Setting]) -> Markup {
    if settings.is_empty() {
        return html! {};
    }
    let has_meanings = settings.iter().any(|setting| !setting.meaning.is_empty());
    let mut heads = vec![("", "Name"), ("", "Value")];
    heads.extend(has_meanings.then_some(("", "Meaning")));
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table.plain {
                caption.unseen { (caption) }
                (head(&heads))
                tbody {
                    @for setting in settings {
                        tr {
                            th scope="row" { (names::text(&setting.name)) }
                            td { (names::text(&setting.shown())) }
                            @if has_meanings { td.text.faint { (sentence(&setting.meaning)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The folder of the new bot in commands.
const FOLDER: &str = "fox";

/// Everything for taking part, for programs that read: `/arenas/{arena}/agents.txt`.
pub(super) async fn agents_page(Get { app, path: slug, visitor, .. }: Get<String>) -> Page {
    let arena = views::arena(&app, &slug)?;
    let settings = arena.settings();
    let meta = settings.game.meta();
    let kits = kits(&app, &arena);
    let memory = settings.matches.sandbox.memory.map(u64::from);
    let game = settings.game;
    // A bot in the language that most people know; in the first one if it is not allowed.
    let starter = || {
        let kit = kits.iter().find(|kit| kit.id == "python").or(kits.first())?;
        let file = kit.main_file(game)?;
        let code = kit.files(game, FOLDER).remove(&file)?;
        Some(Starter { kit: kit.id.to_owned(), file, code })
    };
    let files = |kit: &Kit| kit.files(game, FOLDER).into_keys().collect();
    let guide = ArenaGuide {
        arena: arena_of(&app, &arena, &visitor).await?,
        site: app.site.title.clone(),
        base: visitor.base.clone(),
        page: meta.page.to_owned(),
        offset: settings.season.offset,
        time_ms: views::time_of_answer(&settings),
        memory_mib: memory.unwrap_or(agon_bots::sandbox::MEMORY.into()),
        turn: meta.turn_name.to_owned(),
        starter: starter(),
        kit_files: kits.iter().map(files).collect(),
    };
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], guide.text()).into_response())
}

/// The ending of archives of games.
const ARCHIVE: &str = ".agon-game";

/// The head of a table that has none.
const NO_HEAD: &str = "<thead><tr><th></th><th></th></tr></thead>";

/// The rules of a game. With the ending of archives: the files of a game from files.
pub(super) async fn game_page(Get { path: name, visitor, .. }: Get<String>) -> Page {
    let archive = name.strip_suffix(ARCHIVE);
    let game: GameId = archive.unwrap_or(&name).parse().map_err(|_| not_found("game"))?;
    let files = game.kind().packed();
    if archive.is_some() {
        let files = files.ok_or_else(|| not_found("file of this game"))?;
        return Ok(attachment(BYTES, &name, files.to_vec()));
    }
    let title = format!("Rules of {game}");
    let main = html! {
        h1 { (title) }
        @if files.is_some() {
            p { a href={ (game_address(game)) (ARCHIVE) } { "The game as a file" } }
        }
        div.prose { (PreEscaped(to_html(game.meta().page))) }
    };
    Ok(layout::page(&visitor, &title, main))
}

/// A starter kit as an archive.
pub(super) async fn kit_archive(Path((game, language)): Path<(String, String)>) -> Page {
    let game: GameId = game.parse().map_err(|_| not_found("game"))?;
    let kit = Kit::find(&language).ok().filter(|kit| kit.games().contains(&game));
    let kit = kit.ok_or_else(|| not_found("starter kit"))?;
    let name = format!("{}-{}", game.meta().name(), kit.id);
    let mut files = Files::default();
    for (path, text) in kit.files(game, "bot") {
        let is_script = path.ends_with(".sh");
        let added = files.add(&format!("{name}/{path}"), text.into_bytes(), is_script);
        added.map_err(anyhow::Error::from)?;
    }
    let archive = agon_ladder::archive::zip(&files).map_err(anyhow::Error::from)?;
    Ok(attachment(BYTES, &format!("{name}.zip"), archive))
}

/// Returns the address of the page with the rules of a game.
pub(super) fn game_address(game: GameId) -> String {
    format!("/games/{}", game.meta().id)
}

/// Makes HTML of a page in Markdown, without its first heading, and without links to files: these
/// are in the source of Agon.
fn to_html(markdown: &str) -> String {
    let mut is_title = false;
    let mut links = Vec::new();
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(|event| {
        match &event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => is_title = true,
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
                is_title = false;
                return None;
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push(dest_url.starts_with("https://"));
                return links.last().is_some_and(|is_kept| *is_kept).then_some(event);
            }
            Event::End(TagEnd::Link) => return links.pop().unwrap_or(false).then_some(event),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => return None,
            // Markup of its own is shown as text.
            Event::Html(text) | Event::InlineHtml(text) => return Some(Event::Text(text.clone())),
            _ => {}
        }
        (!is_title).then_some(event)
    });
    let mut html = String::new();
    push_html(&mut html, events);
    // Heads of tables may be empty, which screen readers would read as headings. Long code can be
    // scrolled with the keyboard.
    html.replace(NO_HEAD, "")
        .replace("<th></th>", "<td></td>")
        .replace("<pre>", "<pre tabindex=\"0\" role=\"group\" aria-label=\"Code\">")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_games_become_html() {
        for game in GameId::OWN {
            let html = to_html(game.meta().page);
            assert!(html.contains("<h2>") && html.contains("<table>"), "{game}");
            assert!(!html.contains("<h1>") && !html.contains(".md\""), "{game}");
            assert!(!html.contains("<th></th>"), "{game}");
        }
    }

    #[test]
    fn links_to_files_are_just_words() {
        let html = to_html("# T\n\nsee [a](../b.md) and [c](https://x.example/), <b>d</b>![](x)\n");
        let link = "<a href=\"https://x.example/\">c</a>";
        assert_eq!(html, format!("<p>see a and {link}, &lt;b&gt;d&lt;/b&gt;</p>\n"));
    }
}
