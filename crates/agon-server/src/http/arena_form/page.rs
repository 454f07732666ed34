//! The form with which organisers set up an arena, and what its page has beside it.

use std::collections::BTreeMap;

use agon_ladder::api::{BotRef, LopsidedPair, Phase, ZonedTime};

use super::fields::{Errors, RANKED_BY, SOURCES};
use crate::http::parts::form::{check, raw};
use crate::{
    accounts::name::skeleton, arenas, http::arena, http::prelude::*, store::arenas::Extension,
};

/// Fields that have no element with their name as its id.
const WITHOUT_ID: [&str; 2] = ["language", "sources"];

/// The form with what is in it.
struct Form<'a> {
    /// The fields as they were typed.
    fields: &'a Fields,
    /// The settings, which have the chosen languages and bosses.
    settings: &'a ArenaSettings,
    errors: Errors,
    /// Whether game and settings can no longer change, because the arena exists.
    is_fixed: bool,
}

/// Writes the page of an arena, or of a new one: with the fields as they were typed, and what is
/// wrong with them.
pub(super) async fn write(
    app: &App,
    visitor: &Visitor,
    arena: Option<&ArenaHandle>,
    of: &Arena,
    fields: &Fields,
    errors: Errors,
) -> Page {
    let form = Form { fields, settings: &of.settings, errors, is_fixed: arena.is_some() };
    let (title, action) = match arena.map(|arena| arena.get()) {
        None => ("New arena".to_owned(), "/admin/arenas/new".to_owned()),
        Some(arena) => (
            format!("Settings of {}", names::shown(&arena.title, "the arena")),
            link::admin_arena(&arena.slug),
        ),
    };
    let head = arena.map(|arena| views::head(arena, &arena.board(), visitor).arena);
    let beside = match arena {
        Some(arena) => beside(app, visitor, arena).await?,
        None => html! {},
    };
    let main = html! {
        h1 { (title) }
        @if let Some(arena) = &head {
            @let below = |action: &str| format!("{}/{action}", link::admin_arena(&arena.slug));
            @let button = |action: &str, words: &str, question: &str| {
                form::button(visitor, &below(action), words, question)
            };
            div.row.actions {
                (badge::phase(arena.phase))
                a.button href=(link::arena(&arena.slug)) { "Leaderboard" }
                a.button href=(below("grades.csv")) download { "Grades as CSV" }
                (button("publish", "Publish ratings",
                    "Everybody will see the ratings as they are now. Publish them?"))
                @if arena.phase == Phase::Paused {
                    (button("resume", "Resume", ""))
                } @else if matches!(arena.phase, Phase::Open | Phase::Frozen) {
                    (button("pause", "Pause", ""))
                }
                @if !matches!(arena.phase, Phase::Planned | Phase::Over) {
                    (button("finish", "Finish",
                        "No more matches will be played. Finish the arena?"))
                }
            }
        }
        @if !form.errors.is_empty() {
            div.notice.problem role="alert" {
                p { strong { "Not saved. " } "Change these fields:" }
                ul {
                    @for (field, text) in &form.errors {
                        li {
                            @if WITHOUT_ID.contains(field) { (sentence(text)) } @else {
                                a href={ "#" (field) } { (sentence(text)) }
                            }
                        }
                    }
                }
            }
        }
        form.fields.wide method="post" action=(action) {
            (form::csrf(visitor))
            (form.about())
            (form.game())
            (form.limits())
            (form.ranks())
            (form.bots())
            div.actions {
                button.primary type="submit" {
                    @if form.is_fixed { "Save" } @else { "Make the arena" }
                }
            }
        }
        (beside)
    };
    let page = admin_page(visitor, "/admin/arenas", &title, main);
    let is_wrong = !form.errors.is_empty();
    Ok(if is_wrong { again(StatusCode::UNPROCESSABLE_ENTITY, page) } else { page })
}

impl Form<'_> {
    fn get(&self, name: &str) -> &str {
        self.fields.get(name)
    }

    /// Returns what is wrong with a field; empty if nothing is.
    fn error(&self, field: &str) -> &str {
        self.errors.iter().find(|(of, _)| *of == field).map_or("", |(_, text)| text)
    }

    /// Writes what is wrong with a field that does not say it itself.
    fn wrong(&self, field: &str) -> Markup {
        let wrong = self.error(field);
        html! { @if !wrong.is_empty() { p.hint { strong.error { (sentence(wrong)) } } } }
    }

    fn field<'a>(&'a self, name: &'a str, label: &'a str) -> Field<'a> {
        let (value, error) = (self.get(name), self.error(name));
        Field { label, name, value, error, ..Default::default() }
    }

    fn number<'a>(&'a self, name: &'a str, label: &'a str, hint: &'a str) -> Field<'a> {
        Field { kind: "number", hint, ..self.field(name, label) }
    }

    /// Writes title, address and text.
    fn about(&self) -> Markup {
        html! {
            fieldset {
                legend { "Arena" }
                (Field { required: true, most: 80, ..self.field("title", "Title") })
                @if !self.is_fixed {
                    (Field {
                        hint: "The last part of its address: small letters, digits and hyphens. It \
                               cannot change later. Empty: made from the title.",
                        most: 40, autocomplete: "off", ..self.field("slug", "Address")
                    })
                }
                (Field {
                    hint: "What authors should know. Everybody sees it on the front page and \
                           above the rules.",
                    rows: 3, ..self.field("about", "About")
                })
            }
        }
    }

    /// Writes game, preset, settings and the number of players.
    fn game(&self) -> Markup {
        let hint = "name = value, one a line, in place of those of the preset. The page with the \
                    rules lists all names.";
        let chosen = match self.is_fixed {
            true => self.settings.preset.as_str(),
            false => self.get("preset"),
        };
        html! {
            fieldset {
                legend { "Game" }
                @if self.is_fixed {
                    p.hint {
                        "Results count for these settings, so they cannot change. Make another \
                         arena for others."
                    }
                }
                div.row {
                    div.field {
                        label for="game" { "Game" }
                        select #game name="game" data-presets="preset" data-groups="boss" {
                            @for game in self.games() {
                                @let meta = game.meta();
                                option value=(meta.id) selected[game == self.settings.game] {
                                    (meta.name()) ": " (meta.summary)
                                }
                            }
                        }
                        (self.wrong("game"))
                    }
                    // All presets, in groups; the script shows only those of the chosen game.
                    div.field {
                        label for="preset" { "Preset" }
                        select #preset name="preset" {
                            @for game in self.games() {
                                optgroup label=(game.meta().name()) {
                                    @let is_own = game == self.settings.game;
                                    @for name in arenas::preset_names(game) {
                                        @let is_chosen = is_own && name == chosen;
                                        @if is_chosen || !self.is_fixed {
                                            option value=(raw(&name)) selected[is_chosen] { (name) }
                                        }
                                    }
                                }
                            }
                        }
                        (self.wrong("preset"))
                    }
                }
                @if !self.is_fixed {
                    (Field { hint, rows: 3, ..self.field("settings", "Other settings") })
                }
                (Field {
                    readonly: self.is_fixed, required: true,
                    ..self.number("players", "Players in a match", "")
                })
            }
        }
    }

    /// Returns the games that can be chosen.
    fn games(&self) -> Vec<GameId> {
        match self.is_fixed {
            true => vec![self.settings.game],
            false => GameId::all(),
        }
    }

    /// Writes limits of bots; begin, deadline and freeze.
    fn limits(&self) -> Markup {
        let languages = Kit::all().into_iter().map(|kit| {
            let is_on = self.settings.languages.iter().any(|id| id == kit.id);
            (kit.id.to_owned(), kit.manifest.language, is_on)
        });
        let past = "The deadline is in the past: nobody hands in any more";
        let freeze = "From then on nothing is played, and the tables stay. Empty: never.";
        html! {
            fieldset {
                legend { "Limits" }
                div.row {
                    @let hint = "Empty: as the game says.";
                    (self.number("time_ms", "Time of a decision, in ms", hint))
                    (self.number("memory_mib", "Memory of a bot, in MiB", "Empty: 1024."))
                    (Field {
                        required: true,
                        ..self.number("per_day", "Hand-ins a day", "For each author.")
                    })
                }
                fieldset.inner {
                    legend { "Allowed languages" }
                    (boxes("language", languages))
                    p.hint { "If you choose none, all are allowed." }
                }
            }
            fieldset {
                legend { "Dates" }
                (self.date("begin", "Begin", "Empty: at once."))
                (self.date("deadline", "Deadline", "Empty: none."))
                @if !self.error("past").is_empty() {
                    (check("past", "checkbox", ("past", "yes"), false, html! { (past) }))
                }
                (self.date("freeze", "Freeze", freeze))
            }
        }
    }

    fn date(&self, name: &str, label: &str, hint: &str) -> Markup {
        let zone = format!("{name}_zone");
        html! {
            div.row {
                (Field { kind: "datetime-local", hint, ..self.field(name, label) })
                div.field {
                    label for=(zone) { "Time zone of " (label.to_lowercase()) }
                    select id=(zone) name=(zone) { (zones(self.get(&zone))) }
                }
            }
        }
    }

    /// Writes what decides ranks, and the fields of the final.
    fn ranks(&self) -> Markup {
        let hint = "Empty: 10 for the lower end, 50 for the rating.";
        let games = "For each pair or group. Empty: no final.";
        let most = "The best ones, and all of Agon's own. Empty: 64.";
        let minutes = "So nobody can try seeds. Empty: 10. 0: at once, without protection.";
        html! {
            fieldset {
                legend { "Ranks" }
                p.hint {
                    "For the tables, for grades, and for who takes part in a final. A version that \
                     plays again after a pause or after another version has to play as many \
                     matches again before it has a rank."
                }
                fieldset.inner #ranked_by {
                    legend { "Ranks follow" }
                    @for (_, id, words) in RANKED_BY { (self.radio("ranked_by", id, words)) }
                    (self.wrong("ranked_by"))
                }
                (self.number("ranked_after", "Matches before a rank", hint))
            }
            fieldset {
                legend { "Final" }
                p.hint {
                    "At the freeze all versions are fixed, and everybody meets everybody in an \
                     arena of its own. Choose it before the deadline: its seed is made so that \
                     nobody can know it before, if you announce the final while people still hand \
                     in."
                }
                div.row {
                    (self.number("final_games", "Matches of a meeting", games))
                    (self.number("final_most", "Bots of authors, at most", most))
                    (self.number("final_minutes", "Minutes to compute the seed", minutes))
                }
            }
        }
    }

    fn radio(&self, name: &str, value: &str, words: &str) -> Markup {
        let id = format!("{}-{value}", name.replace('_', "-"));
        check(&id, "radio", (name, value), self.get(name) == value, html! { (words) })
    }

    /// Writes who can read sources, and which of Agon's bots play along.
    fn bots(&self) -> Markup {
        let is_yes = |name: &str| self.get(name) == "yes";
        html! {
            fieldset {
                legend { "Bots" }
                fieldset.inner {
                    legend { "Sandbox" }
                    (check("strict", "checkbox", ("strict", "yes"), is_yes("strict"), html! {
                        "Only on machines that can confine bots fully"
                    }))
                    (self.wrong("strict"))
                }
                fieldset.inner {
                    legend { "Names" }
                    (check("named", "checkbox", ("named", "yes"), is_yes("named"), html! {
                        "Bots learn whom they meet"
                    }))
                    p.hint {
                        "Otherwise all have new names in each match, so that no bot treats some \
                         opponents in another way than others. People see who played."
                    }
                }
                fieldset.inner {
                    legend { "Who can read the sources of bots" }
                    @for (_, id, words) in SOURCES { (self.radio("sources", id, words)) }
                }
                fieldset.inner #boss {
                    legend { "Bosses: bots of Agon that play along" }
                    @for (at, game) in self.games().into_iter().enumerate() {
                        div data-group=[(!self.is_fixed).then_some("boss")] {
                            @if !self.is_fixed { p.group { (game.meta().name()) } }
                            (boxes(&format!("boss-{at}"), self.bosses(game).into_iter()))
                        }
                    }
                }
            }
        }
    }

    /// Returns the bosses of a game: value, label, and whether they are chosen. Those of all games
    /// are in the form; the script shows only those of the chosen game.
    fn bosses(&self, game: GameId) -> Vec<(String, String, bool)> {
        // Those that a new arena has, unless somebody has chosen.
        let chosen = match game == self.settings.game {
            true => self.settings.bosses.clone(),
            false => arenas::first(game).settings.bosses,
        };
        let choice = |name: String| {
            let is_on = chosen.iter().any(|boss| boss.name == name);
            (format!("{game}/{name}"), name, is_on)
        };
        arenas::boss_names(game).into_iter().map(choice).collect()
    }
}

/// Writes offsets to UTC, with the chosen one even if it is unusual.
fn zones(chosen: &str) -> Markup {
    let chosen = if chosen.is_empty() { "+00:00" } else { chosen };
    let mut offsets: Vec<i32> = (-12..=14).map(|hours| 60 * hours).collect();
    offsets.extend([-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765]);
    offsets.sort_unstable();
    let zone = |offset| ZonedTime { offset, ..ZonedTime::default() }.zone();
    let mut zones: Vec<String> = offsets.into_iter().map(zone).collect();
    if !zones.iter().any(|zone| zone == chosen) {
        zones.push(chosen.to_owned());
    }
    html! {
        @for zone in &zones {
            option value=(zone) selected[zone == chosen] { "UTC" (zone) }
        }
    }
}

/// Writes boxes: value, label, and whether they are on.
fn boxes(prefix: &str, choices: impl Iterator<Item = (String, String, bool)>) -> Markup {
    let name = prefix.split('-').next().unwrap_or_default();
    html! {
        div.boxes {
            @for (at, (value, label, is_on)) in choices.enumerate() {
                @let words = html! { (names::shown(&label, "unnamed")) };
                (check(&format!("{prefix}-{at}"), "checkbox", (name, &value), is_on, words))
            }
        }
    }
}

/// Writes what the page of an arena has beside the form: later deadlines, and what organisers may
/// have to look at.
async fn beside(app: &App, visitor: &Visitor, arena: &ArenaHandle) -> Shown<Markup> {
    let (of, board) = (arena.get(), arena.board());
    let extensions = app.store.extensions(arena.id()).await?;
    let pairs = arena::lopsided_pairs(&app.store, arena).await?;
    let alike = alike(&board);
    Ok(html! {
        (section("extensions", "Later deadlines", deadlines(visitor, &of, &extensions)))
        @if !alike.is_empty() {
            (section("alike", "Names that look alike", html! {
                p { "These bots had their names before Agon compared what names look like." }
                ul.people {
                    @for group in &alike {
                        li { @for one in group { (names::bot(&of.slug, one)) " " } }
                    }
                }
            }))
        }
        @if !pairs.is_empty() {
            (section("lopsided", "Results that stand out", lopsided_table(&of.slug, &pairs)))
        }
    })
}

/// Writes the list of later deadlines, and the form that changes it.
fn deadlines(visitor: &Visitor, of: &Arena, extensions: &[Extension]) -> Markup {
    let action = format!("{}/extensions", link::admin_arena(&of.slug));
    let offset = of.settings.season.deadline.map_or(0, |_| of.settings.season.offset);
    let chosen = ZonedTime { offset, ..ZonedTime::default() }.zone();
    html! {
        @if extensions.is_empty() {
            p.empty { "All authors have the same deadline." }
        } @else {
            ul.people {
                @for one in extensions {
                    li {
                        b { (names::shown(&one.shown, "somebody")) } " (" code { (one.name) } "): "
                        (zoned(views::zoned(one.until, of)))
                    }
                }
            }
        }
        form.fields.wide method="post" action=(action) {
            (form::csrf(visitor))
            div.row {
                (Field {
                    label: "Name of the author", name: "name", required: true,
                    hint: "As for signing in.", ..Default::default()
                })
                (Field {
                    label: "Hands in until", name: "until", kind: "datetime-local",
                    hint: "Empty: as all others. Nobody can hand in after the freeze.",
                    ..Default::default()
                })
                div.field {
                    label for="until_zone" { "Time zone" }
                    select #until_zone name="until_zone" { (zones(&chosen)) }
                }
            }
            div.actions { button type="submit" { "Set the deadline" } }
        }
    }
}

/// Returns the bots whose names look alike, in groups. Nobody can choose such a name any more.
fn alike(board: &Board) -> Vec<Vec<BotRef>> {
    let mut groups: BTreeMap<String, Vec<BotRef>> = BTreeMap::new();
    for bot in board.bots.values().filter(|bot| !bot.bot.is_erased()) {
        groups.entry(skeleton(&bot.bot.name)).or_default().push(views::bot_ref(board, bot));
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// Lists authors who perhaps lose to each other on purpose.
fn lopsided_table(arena: &str, pairs: &[LopsidedPair]) -> Markup {
    let heads = [("", "Bot"), ("", "Other bot"), TALLY, ("n", "Points"), ("n", "Expected")];
    let rows = html! {
        @for one in pairs {
            tr {
                th scope="row" { (names::bot(arena, &one.loser)) }
                td { (names::bot(arena, &one.winner)) }
                td.n { (tally(one.tally)) }
                td.n { (one.tally.wins as f64 + 0.5 * one.tally.ties as f64) }
                td.n { (format!("{:.1}", one.expected)) }
            }
        }
    };
    html! {
        p {
            "Against the other, the first bot gets much less than all its other results \
             say. Perhaps their authors have agreed on that: look at the replays. It may \
             also be honest, if the bot's style happens to lose to the other one."
        }
        (wide_table("Results that stand out", "plain", &heads, rows))
    }
}
