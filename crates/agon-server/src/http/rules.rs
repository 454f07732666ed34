//! The rules of an arena, as a page; and all about an arena, for the API.

use agon_console::kits::Kit;
use agon_ladder::api::{Arena, BotRef, Language, Limits, Quota, Role, Season, Setting, ZonedTime};
use agon_ladder::guide::{RANKING, ranks, sources};
use agon_match::spec::SandboxLevel;
use axum::{
    extract::{Path, State},
    response::Response,
};
use maud::{Markup, html};

use super::{
    closed,
    entry::{self, kits},
    finals, game,
    parts::{
        form,
        layout::{Head, Tab, arena_page},
        lists::{head, section},
        names,
        number::{counted, sentence},
        time::{left, time, zoned},
    },
    reply::Shown,
    views,
    visitor::Visitor,
};
use crate::{
    accounts::name::word,
    app::App,
    arena_handle::ArenaHandle,
    board::BoardBot,
    store::arenas::{ArenaSettings, Arrival},
};

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
        limits: limits(settings),
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

fn limits(settings: &ArenaSettings) -> Limits {
    Limits {
        time_ms: settings.matches.time.limit,
        strikes: settings.matches.time.strikes.map(|strikes| strikes.get().into()),
        memory_mib: settings.matches.sandbox.memory.map(Into::into),
        strict_sandbox: settings.matches.sandbox.level == SandboxLevel::Strict,
        max_turns: settings.max_turns,
        versions_per_day: settings.daily,
        bytes: agon_ladder::archive::MAX_BYTES,
        files: agon_ladder::archive::MAX_FILES as u32,
    }
}

async fn quota(app: &App, arena: &ArenaHandle, visitor: &Visitor) -> Shown<Option<Quota>> {
    let Ok(person) = visitor.must_be(Role::Author) else { return Ok(None) };
    let own = app.store.own_bot(arena.id(), person.id).await?;
    let settings = arena.settings();
    let extension = app.store.extension(arena.id(), person.id).await?;
    Ok(Some(Quota {
        left: entry::left(app, &settings, own.as_ref()).await?,
        per_day: settings.daily,
        closed: closed::closed(arena, own.as_ref(), Arrival::now(), extension),
        until: extension.map(time),
    }))
}

pub(super) async fn page(
    State(app): State<App>,
    Path(slug): Path<String>,
    visitor: Visitor,
) -> Shown<Response> {
    let handle = views::arena(&app, &slug)?;
    let settings = handle.settings();
    let arena = arena_of(&app, &handle, &visitor).await?;
    let head = views::head(&handle, &handle.board(), &visitor);
    let is_final = arena.final_of.is_some();
    let finals = finals::rules(&app, &handle.get(), arena.finals.as_ref()).await?;
    let game = game::address(settings.game);
    let limits = limits_in_words(&settings, &arena.limits);
    let ranking = if is_final { finals::RANKING } else { RANKING };
    let main = html! {
        h1 { "Rules" }
        @if !arena.about.is_empty() { p.lead.paragraphs { (arena.about) } }
        div.columns {
            div {
                (section("game", "The game", about_game(&head, &arena, &game)))
                (section("limits", "Limits of bots", settings_table("Limits of bots", &limits)))
                (section("languages", "Languages", languages(&arena.languages)))
                (section("ranking", "How ranking works", html! {
                    p { (ranks(arena.ranks)) }
                    @for paragraph in ranking { p { (paragraph) } }
                }))
            }
            div {
                (section("dates", "Dates and hand-ins", dates(&head, &arena)))
                (finals)
                @if !is_final {
                    (section("kits", "Starter kits", kits_list(&head, &arena, &visitor)))
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

fn about_game(head: &Head, arena: &Arena, rules: &str) -> Markup {
    html! {
        p {
            "Bots play " b { (names::shown(&arena.summary.game, "a game")) } ", " (arena.players)
            " in a match. " (arena.game_summary)
        }
        p {
            a href=(rules) { "The rules of the game" }
            " say what a bot sees and what it can answer."
        }
        // Nobody can take part in a final any more.
        @if arena.final_of.is_none() {
            p {
                a href=(head.below("agents.txt")) { "Everything for taking part as plain text" }
                ", for coding agents and shells."
            }
        }
        (settings_table("Settings of the game", &arena.settings))
    }
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
        let name = format!("{}s", views::turn_name(settings.game));
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

fn languages(languages: &[Language]) -> Markup {
    html! {
        @if languages.is_empty() { p.empty { "No language is allowed yet." } }
        ul.languages {
            @for language in languages {
                li {
                    b { (names::text(&language.name)) }
                    @if let Some(build) = &language.build {
                        " " small { (sentence(&format!("built with `{build}`"))) }
                    }
                }
            }
        }
    }
}

fn dates(head: &Head, arena: &Arena) -> Markup {
    let at = |at| ZonedTime { at, offset: head.offset };
    html! {
        dl.pairs {
            @if let Some(begin) = arena.season.begin { dt { "Begins" } dd { (zoned(at(begin))) } }
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
                    (counted(arena.limits.versions_per_day.into(), "version", "versions")) " a day"
                }
            }
            dt { "Sources" }
            dd { (sources(arena.sources)) }
        }
    }
}

fn kits_list(head: &Head, arena: &Arena, visitor: &Visitor) -> Markup {
    let game = &arena.summary.game;
    let folder = if visitor.person.is_some() { word(visitor.name()) } else { "my-bot".to_owned() };
    html! {
        @if arena.languages.is_empty() { p.empty { "There are none for this game." } } @else {
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
    }
}
