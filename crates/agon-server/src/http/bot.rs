//! The page of a bot, and what its author and organisers may do with it.

use std::collections::BTreeMap;

use agon_ladder::api::{
    Bot, BotCost, BotState, Comparison, ExaminationStatus, FaultCount, MatchSummary, Milestone,
    Opponent, Rating, RatingPoint, Tally, VersionState, VersionSummary,
};

use super::bot_changes::{self, Stop, changeable};
use super::parts::values::{change, elo, first_line, interval, micros, ranked_after, score};
use super::{matches::ALL, parts::chart::chart, parts::names::avatar, prelude::*};
use crate::store::bots::{self, DISABLED};
use crate::store::versions::{Brief, State as VersionStored, Version};
use crate::{play, store::match_filter::MatchFilter, store::matches::Seat};

/// Matches in the list of the page.
const LATEST: u32 = 20;

/// Points of the chart, for each version.
const POINTS: u32 = 150;

/// Versions of which ratings are shown.
const RATED: usize = 20;

/// The most opponents in the list.
const OPPONENTS: u32 = 40;

/// All about a bot, with the records that it comes from.
pub(super) struct Whole {
    pub(super) bot: Bot,
    found: BoardBot,
    versions: Vec<Version>,
    /// The latest matches of the active version.
    matches: Vec<SeatedMatch>,
}

/// Returns all about a bot, as it is stored now, that the visitor may see.
pub(super) async fn whole(
    app: &App,
    arena: &ArenaHandle,
    slug: &str,
    visitor: &Visitor,
) -> Shown<Whole> {
    let board = arena.board();
    let found = views::with_author(app, &board, views::stored(app, arena, slug).await?).await?;
    let active = found.bot.active;
    let versions = app.store.versions(found.bot.id).await?;
    let brief = versions.iter().find(|version| Some(version.id) == active).map(Brief::of);
    let filter = MatchFilter { versions: Some(active.into_iter().collect()), ..Default::default() };
    let matches = app.store.matches(arena.id(), &filter, ALL, LATEST).await?;
    let may_see = visitor.may_see(found.bot.owner);
    let bot = Bot {
        summary: views::bot_summary(&board, &found, brief.as_ref(), visitor),
        waiting: why_not(arena, &found, &versions).filter(|_| may_see),
        opponents: opponents(app, &board, active).await?,
        milestones: milestones(&board, &found),
        fault_kinds: fault_kinds(&matches, active),
        cost: cost(&matches, active).filter(|_| may_see),
    };
    Ok(Whole { bot, found, versions, matches })
}

pub(super) async fn page(get: Get<(String, String)>) -> Page {
    let Get { app, path: (slug, bot), visitor, .. } = get;
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let Whole { bot, found, versions, matches } = whole(&app, &arena, &bot, &visitor).await?;
    let summary = &bot.summary;
    let of = arena.get();
    let is_organiser = visitor.role() >= Role::Organiser;
    let may_change = visitor.may_see(found.bot.owner);
    let mut history = ratings(&app, &versions).await?;
    // Ratings change with the matches of others, too.
    if let (Some(version), Some(live)) = (summary.bot.version, summary.rating) {
        let made = time(board.made);
        let at = history.last().map_or(made, |last| made.max(last.at));
        history.push(RatingPoint { at, elo: live.elo, version });
    }
    let extension = match visitor.person.as_ref().filter(|_| may_change) {
        Some(person) => app.store.extension(arena.id(), person.id).await?,
        None => None,
    };
    let summary_of = |version| views::version_summary(&board, version, found.bot.active);
    let rows = versions.iter().map(summary_of);
    // What was refused is between the author and the server.
    let rows = rows.filter(|row| may_change || row.state != VersionState::Failed);
    let rows: Vec<VersionSummary> = rows.collect();
    let latest: Vec<MatchSummary> =
        matches.iter().map(|seated| views::match_summary(&board, seated)).collect();
    let head = views::head(&arena, &board, &visitor);
    let is_own = head.arena.own_bot.as_ref() == Some(&summary.bot.slug);
    let name = names::shown(&summary.bot.name, "Bot");
    let all = format!("{}?bot={}", head.below("matches"), link::value(&summary.bot.slug));
    let main = html! {
        (overview(&bot, &name, is_own, head.arena.bots))
        (milestones_list(&slug, &bot))
        (section("history", "Rating over time", chart(&history)))
        (section("versions", "Versions", versions_table(&slug, &bot, &rows)))
        div.columns {
            (section("latest", "Latest matches", html! {
                (lists::matches(&head.arena, &latest, Some(&summary.bot.slug)))
                @if !latest.is_empty() { p { a href=(all) { "All matches of this bot" } } }
            }))
            div {
                (section("opponents", "Opponents", opponents_table(&slug, &bot.opponents)))
                (section("faults", "Faults", html! {
                    (lists::fault_counts(&slug, &bot.fault_kinds))
                    @if !matches.is_empty() {
                        p.hint {
                            "In " (among(matches.len())) " of this version. "
                            a href={ (all) "&faults=1" } { "All matches with faults" }
                        }
                    }
                }))
            }
        }
        @if may_change {
            (private(&bot, &app.comparisons.of(found.bot.id), &logs(&matches, &found.bot)))
        }
        @if may_change { (manage(&visitor, &of, &found.bot, extension, &bot, &rows)) }
        @if is_organiser && !summary.bot.boss {
            section.organise aria-labelledby="organise" {
                h2 #organise { "For organisers" }
                @let below = |action| format!("{}/{action}", link::bot(&slug, &summary.bot.slug));
                @let question = "Everybody will read the reason, and the bot plays no more \
                                 matches. Disqualify it?";
                @if summary.state == BotState::Disqualified {
                    (form::button(&visitor, &below("reinstate"), "Let it play again", ""))
                } @else {
                    (form::asking(&visitor, &below("disqualify"), question, html! {
                        (Field {
                            label: "Reason, which everybody can read", name: "reason",
                            required: true, most: form::MAX_MESSAGE, ..Default::default()
                        })
                        button.danger type="submit" { "Disqualify" }
                    }))
                }
            }
        }
    };
    let tab = if is_own { Tab::OwnBot } else { Tab::None };
    Ok(arena_page(&visitor, &head, tab, &name, main))
}

/// Returns ratings over time of the latest versions that have played, the oldest first.
pub(super) async fn ratings(app: &App, versions: &[Version]) -> Shown<Vec<RatingPoint>> {
    let played = versions.iter().filter(|version| version.play.matches > 0);
    let played: Vec<&Version> = played.take(RATED).collect();
    let mut points = Vec::new();
    for version in played.into_iter().rev() {
        let ratings = app.store.ratings_of(version.id, version.play.matches, POINTS).await?;
        let point = |(at, elo)| RatingPoint { at: time(at), elo, version: version.number };
        points.extend(ratings.into_iter().map(point));
    }
    Ok(points)
}

/// Returns what a version wrote to stderr in its latest matches, with titles.
fn logs(matches: &[SeatedMatch], bot: &bots::Bot) -> Vec<(String, String)> {
    let seats = matches
        .iter()
        .flat_map(|seated| seated.seats.iter().map(move |seat| (seated.of.number, seat)));
    let log = |(number, seat): (u64, &Seat)| {
        Some((format!("stderr in match {number}"), views::stderr(seat.stderr.as_deref()?)))
    };
    seats.filter(|(_, seat)| Some(seat.version) == bot.active).filter_map(log).take(3).collect()
}

/// Writes what a bot is, whether it plays, and its figures among so many that play.
fn overview(bot: &Bot, name: &str, is_own: bool, among: u64) -> Markup {
    let (summary, of) = (&bot.summary, &bot.summary.bot);
    let reason = summary.reason.as_deref().unwrap_or_default();
    let stopped = match summary.state {
        BotState::Playing => None,
        BotState::NoVersion => Some(("This bot does not play.", "none of its versions is ready")),
        BotState::Paused if reason == DISABLED => Some(("This bot does not play.", reason)),
        BotState::Paused => Some(("This bot is paused.", reason)),
        BotState::Disqualified => Some(("This bot is disqualified.", reason)),
    };
    html! {
        div.profile {
            (avatar(&of.slug))
            div {
                h1 {
                    bdi { (name) }
                    @if let Some(version) = of.version { " " span.version { "v" (version) } }
                }
                p.facts {
                    @if of.boss {
                        (badge::plain("boss")) span { "a bot of Agon, which plays as a milestone" }
                    } @else {
                        span { "by " (names::author(of)) }
                    }
                    @if let Some(language) = &summary.language { span { (names::text(language)) } }
                    (badge::bot(summary.state, summary.reason.as_deref()))
                    @if is_own { (badge::own("yours")) }
                }
            }
        }
        @if let Some((words, reason)) = stopped {
            div.notice.warning {
                p { strong { (words) } @if !reason.is_empty() { " Reason: " (reason) } }
            }
        }
        @if let Some(waiting) = &bot.waiting {
            div.notice.warning {
                p { strong { "Why it does not play right now. " } (waiting) }
            }
        }
        dl.figures {
            @if let Some(rank) = summary.rank {
                div { dt { "Rank" } dd { b { (grouped(rank)) } small { " of " (grouped(among)) } } }
            } @else if summary.owed > 0 {
                div { dt { "Rank" } dd { small { (ranked_after(summary.owed)) } } }
            }
            @if let Some(own) = &summary.rating {
                div { dt { "Rating" } dd { (rating(own)) } }
            } @else if of.version.is_some() {
                div { dt { "Rating" } dd { small { "not played yet" } } }
            }
            div { dt { "Matches" } dd { b { (grouped(summary.matches)) } } }
            div { dt { "Won – tied – lost" } dd { b { (tally(summary.tally)) } } }
        }
    }
}

fn milestones_list(arena: &str, bot: &Bot) -> Markup {
    if bot.milestones.is_empty() {
        return html! {};
    }
    let list = html! {
        ul.milestones {
            @for one in &bot.milestones {
                li {
                    @let name = names::shown(&one.boss.name, "boss");
                    a href=(link::bot(arena, &one.boss.slug)) {
                        (badge::milestone(&name, one.reached))
                    }
                    @if !one.reached { span.unseen { " is not reached yet" } }
                }
            }
        }
        p.hint {
            "A full star: this version is certainly stronger than that bot of Agon, so \
             the lower end of its rating is above the rating of the other."
        }
    };
    section("milestones", "Milestones", list)
}

fn versions_table(arena: &str, bot: &Bot, rows: &[VersionSummary]) -> Markup {
    if rows.is_empty() {
        return html! { p.empty { "There is none yet." } };
    }
    let of = &bot.summary;
    let state = |row: &VersionSummary| match of.state {
        BotState::Playing if row.active => badge::own("plays"),
        BotState::Disqualified if row.active => badge::disqualified(),
        _ => badge::version(row.state),
    };
    let rows = html! {
        @for row in rows {
            tr.active[row.active] {
                th scope="row" {
                    a href=(link::version(arena, &of.bot.slug, row.number)) { "v" (row.number) }
                }
                td { (state(row)) }
                td.text {
                    @if row.message.is_empty() { span.faint { "–" } } @else {
                        (names::text(&row.message))
                    }
                    @if !row.language.is_empty() && of.language.as_ref() != Some(&row.language) {
                        " " small { (names::text(&row.language)) }
                    }
                }
                td.n {
                    @if let Some(own) = &row.rating { (rating(own)) } @else { span.faint { "–" } }
                }
                td.n.minor { (grouped(row.matches)) }
                td.n.minor { (ago(row.created)) }
            }
        }
    };
    html! {
        (table("versions", &[("", "Version"), ("", "State"), ("", "What changed"), ("n", "Rating"),
            ("n minor", "Matches"), ("n minor", "Handed in")], rows))
    }
}

fn opponents_table(arena: &str, opponents: &[Opponent]) -> Markup {
    if opponents.is_empty() {
        return html! { p.empty { "It has met nobody yet." } };
    }
    let percent = |of: Tally| score(of).map(|part| format!("{:.0} %", 100.0 * part));
    let rows = html! {
        @for other in opponents {
            tr {
                th scope="row" { (names::bot(arena, &other.bot)) }
                td.n { (other.elo.map(elo).unwrap_or_default()) }
                td.n { (tally(other.tally)) }
                td.n { (percent(other.tally).unwrap_or_default()) }
            }
        }
    };
    table("opponents", &[("", "Opponent"), ("n", "Rating"), TALLY, ("n", "Score")], rows)
}

fn among(matches: usize) -> String {
    match matches {
        1 => "the latest match".to_owned(),
        _ => format!("the latest {} matches", grouped(matches as u64)),
    }
}

/// Writes what only the author and organisers see: costs, comparisons and logs.
fn private(bot: &Bot, comparisons: &[play::Comparison], logs: &[(String, String)]) -> Markup {
    let cost = |cost: &BotCost| {
        html! {
            tr {
                th scope="row" { "the latest " (cost.matches) " matches" }
                td.n { (grouped(cost.decisions)) }
                td.n { (micros(cost.median_us)) }
                td.n { (micros(cost.p99_us)) }
                td.n { span { (micros(cost.max_us)) } }
                td.n { (cost.memory_bytes.map(bytes).unwrap_or_default()) }
            }
        }
    };
    let heads = [("", "Question"), ("", "Answer"), TALLY, ("n", "Difference"), ("n", "Asked")];
    let compared = html! {
        @for one in comparisons.iter().take(8).map(comparison) {
            tr {
                th scope="row" { "Is v" (one.a) " better than v" (one.b) "?" }
                td {
                    @if one.running { (badge::plain("running")) " " }
                    (one.verdict)
                }
                td.n { (tally(one.tally)) }
                td.n {
                    @if let Some(by) = &one.difference {
                        (change(by.elo)) small { " " (interval(by)) }
                    }
                }
                td.n { (ago(one.created)) }
            }
        }
    };
    html! {
        @if let Some(of) = &bot.cost {
            section aria-labelledby="costs" {
                h2 #costs { "Cost of a decision " (badge::plain("only you and organisers")) }
                (wide_table("Cost of a decision", "plain", &[("", "Measured"), ("n", "Decisions"),
                    ("n", "Median"), ("n", "99 % take at most"), ("n", "Slowest"),
                    ("n", "Memory")], cost(of)))
            }
        }
        @if !comparisons.is_empty() {
            @let title = "Comparisons of versions";
            (section("comparisons", title, wide_table(title, "plain", &heads, compared)))
        }
        section aria-labelledby="logs" {
            h2 #logs { "Logs " (badge::plain("only you and organisers")) }
            @if logs.is_empty() { p.empty { "It has written nothing to stderr." } }
            @for (title, text) in logs { (log(title, text)) }
        }
    }
}

/// Writes the forms with which authors and organisers change a bot.
fn manage(
    visitor: &Visitor,
    arena: &Arena,
    stored: &bots::Bot,
    extension: Option<i64>,
    bot: &Bot,
    versions: &[VersionSummary],
) -> Markup {
    let fixed = bot_changes::fixed(&arena.settings);
    let is_organiser = visitor.role() >= Role::Organiser;
    let by = stored.stopped.as_ref().map(|stopped| stopped.by);
    // Not its author, if an organiser paused it.
    let may_resume = is_organiser || by.is_none_or(|by| !by.is_organiser());
    // If somebody else paused it, so that only organisers let it play again.
    let may_hold = is_organiser
        && !bot.summary.own
        && matches!(by, Some(StoppedBy::Author | StoppedBy::Failures));
    let of = &bot.summary.bot;
    let below = |action: &str| format!("{}/{action}", link::bot(&arena.slug, &of.slug));
    let is_playable =
        |row: &&VersionSummary| matches!(row.state, VersionState::Ready | VersionState::Retired);
    let playable: Vec<u32> = versions.iter().filter(is_playable).map(|row| row.number).collect();
    let is_other = |number: &u32| Some(*number) != of.version;
    let others: Vec<u32> = playable.iter().copied().filter(is_other).collect();
    let is_disabled = bot.summary.reason.as_deref() == Some(DISABLED);
    let button = |action: &str, words: &str, question: &str| {
        form::button(visitor, &below(action), words, question)
    };
    let pause = "It plays no matches until you let it play again, and then it has to play some \
                 before it has a rank. Pause it?";
    html! {
        section.manage aria-labelledby="manage" {
            h2 #manage { "Change this bot" }
            @if let Some((what, why)) = fixed { p { (what) ". " (why) } }
            div.forms {
                @if fixed.is_none() {
                    @if arena.settings.season.is_open(now(), extension) && !others.is_empty() {
                        (form::form(visitor, &below("activate"), html! {
                            (select("activate-version", "version", "Another version plays",
                                &others, None))
                            button type="submit" { "Make it active" }
                        }))
                    }
                    @if let [first, second, ..] = playable[..] {
                        (form::form(visitor, &below("compare"), html! {
                            (select("compare-a", "a", "Is version", &playable, Some(first)))
                            (select("compare-b", "b", "better than version", &playable,
                                Some(second)))
                            button type="submit" { "Find out" }
                        }))
                    }
                }
                // A name may be offensive.
                @if fixed.is_none() || is_organiser {
                    (form::form(visitor, &below("rename"), html! {
                        (Field {
                            label: "New name", name: "name", value: &of.name, required: true,
                            most: form::MAX_NAME, autocomplete: "off", ..Default::default()
                        })
                        button type="submit" { "Rename" }
                    }))
                }
                @if fixed.is_none() {
                    @match bot.summary.state {
                        BotState::Paused if may_resume && !is_disabled => {
                            (button("resume", "Let it play again", ""))
                            @if may_hold {
                                (button("pause", "Pause it as an organiser",
                                    "Then its author cannot let it play again. Pause it?"))
                            }
                        }
                        BotState::Playing => { (button("pause", "Pause it", pause)) }
                        BotState::Paused | BotState::NoVersion | BotState::Disqualified => {}
                    }
                }
            }
        }
    }
}

fn select(id: &str, name: &str, label: &str, numbers: &[u32], chosen: Option<u32>) -> Markup {
    html! {
        div.field {
            label for=(id) { (label) }
            select id=(id) name=(name) {
                @for &number in numbers {
                    option value=(number) selected[Some(number) == chosen] { "v" (number) }
                }
            }
        }
    }
}

/// Returns the bosses that a bot has left behind, and those that it has not.
fn milestones(board: &Board, bot: &BoardBot) -> Vec<Milestone> {
    let Some(active) = bot.bot.active.filter(|_| bot.bot.owner.is_some()) else {
        return Vec::new();
    };
    let milestone = |(boss, reached)| Milestone { boss: views::bot_ref(board, boss), reached };
    board.milestones(active).map(milestone).collect()
}

/// Returns how often a version committed each kind of fault in its latest matches.
fn fault_kinds(matches: &[SeatedMatch], version: Option<i64>) -> Vec<FaultCount> {
    let mut faults: BTreeMap<&str, FaultCount> = BTreeMap::new();
    for seated in matches {
        for fault in seated.of.outcome.iter().flat_map(|outcome| &outcome.faults) {
            let seat = seated.seats.get(fault.player.index());
            if seat.map(|seat| seat.version) != version {
                continue;
            }
            let kind = fault.kind.words();
            let count = faults.entry(kind).or_insert_with(|| FaultCount {
                kind: kind.to_owned(),
                count: 0,
                example: Some(seated.of.number),
            });
            count.count += fault.count;
        }
    }
    faults.into_values().collect()
}

/// Says why a bot was stopped, and what its author can do.
pub(super) fn why_stopped(settings: &ArenaSettings, stopped: &Stopped) -> String {
    let remedy = match stopped.by {
        StoppedBy::Failures | StoppedBy::Author | StoppedBy::OrganiserPaused
            if bot_changes::fixed(settings).is_some() =>
        {
            "It stays so: the season is over."
        }
        StoppedBy::Failures => "Hand in a version that works, or resume it.",
        StoppedBy::Author => "Resume it when you like.",
        StoppedBy::Organiser | StoppedBy::OrganiserPaused | StoppedBy::Disabled => {
            "Ask the organisers."
        }
        StoppedBy::Erased => "It does not play again.",
    };
    format!("{} {remedy}", as_sentence(&stopped.why))
}

/// Says why a bot does not play at this moment, if it does not.
pub(super) fn why_not(arena: &ArenaHandle, bot: &BoardBot, versions: &[Version]) -> Option<String> {
    let of = arena.get();
    if let Some(stopped) = &bot.bot.stopped {
        return Some(why_stopped(&of.settings, stopped));
    }
    let newest = versions.first();
    if let Some(version) = newest.filter(|version| version.state.is_open()) {
        return bot.bot.active.is_none().then(|| {
            let state = version.state.name();
            format!("Version {} is {state}; it plays once that is done.", version.number)
        });
    }
    if bot.bot.active.is_none() {
        return Some(match newest {
            Some(version) if version.state == VersionStored::Ready => {
                format!("Version {} is ready, and plays in a moment.", version.number)
            }
            Some(version) => {
                let report = version.report.clone().unwrap_or_default();
                let failed =
                    report.checks.iter().find(|check| check.status == ExaminationStatus::Failed);
                let why = failed.map(|check| check.found.clone()).or(report.refused);
                let why = first_line(&why.unwrap_or_default()).to_owned();
                format!("Version {} failed: {why}. Its page has the report.", version.number)
            }
            None => "Nothing was handed in yet.".to_owned(),
        });
    }
    let season = &of.settings.season;
    if let Some(why) = of.settings.outdated() {
        return Some(as_sentence(&why));
    }
    if season.begin.is_some_and(|begin| now() < begin) {
        return Some("The season has not begun.".to_owned());
    }
    if season.freeze.is_some_and(|freeze| freeze <= now()) {
        return Some("The season is over.".to_owned());
    }
    if season.is_paused {
        return Some("An organiser has paused this arena.".to_owned());
    }
    let others = arena.board().playing.len();
    (others < of.settings.players)
        .then(|| format!("There are {others} bots, but a match needs {}.", of.settings.players))
}

/// Returns what decisions of a version cost in its latest matches.
fn cost(matches: &[SeatedMatch], version: Option<i64>) -> Option<BotCost> {
    let seats = matches.iter().flat_map(|seated| &seated.seats);
    let own: Vec<&Seat> = seats.filter(|seat| Some(seat.version) == version).collect();
    let all: Vec<_> = own.iter().filter_map(|seat| seat.cost).collect();
    let mut medians: Vec<u64> = all.iter().map(|cost| cost.median).collect();
    medians.sort_unstable();
    let us = |ns: u64| ns.div_ceil(1_000);
    Some(BotCost {
        matches: all.len() as u64,
        decisions: own.iter().filter_map(|seat| seat.decisions).sum(),
        median_us: us(*medians.get(medians.len() / 2)?),
        p99_us: us(all.iter().map(|cost| cost.p99).max()?),
        max_us: us(all.iter().map(|cost| cost.most).max()?),
        memory_bytes: all.iter().filter_map(|cost| cost.memory).max(),
    })
}

pub(super) fn comparison(one: &play::Comparison) -> Comparison {
    let difference = |(elo, low, high)| Rating { elo, low: Some(low), high: Some(high) };
    Comparison {
        id: one.id,
        a: one.numbers[0],
        b: one.numbers[1],
        verdict: one.verdict(),
        running: one.is_running(),
        tally: one.results.into(),
        difference: one.difference().map(difference),
        created: time(one.asked),
    }
}

/// Returns results of a version against each opponent, those met most often first.
async fn opponents(app: &App, board: &Board, version: Option<i64>) -> Shown<Vec<Opponent>> {
    let Some(version) = version else { return Ok(Vec::new()) };
    let pairs = app.store.most_met(version, OPPONENTS).await?;
    let opponent = |(id, results): (i64, [u64; 3])| Opponent {
        bot: views::played_or_unknown(board, id),
        elo: board.rating(id),
        tally: results.into(),
    };
    Ok(pairs.into_iter().map(opponent).collect())
}

/// Shows the page of a bot after a change.
fn changed(arena: &ArenaHandle, bot: &bots::Bot, done: &str) -> Response {
    to(&format!("/arenas/{}/bots/{}?done={done}", arena.get().slug, bot.slug))
}

pub(super) async fn compare(post: Post<(String, String)>) -> Page {
    let Post { app, path: (slug, bot), visitor, fields, .. } = post;
    let own = changeable(&app, &visitor, &slug, &bot).await?;
    let number = |field: &str| fields.get(field).parse().unwrap_or(0);
    bot_changes::compare(&app, &own, number("a"), number("b")).await?;
    Ok(changed(&own.arena, &own.bot, "compared"))
}

pub(super) async fn activate(post: Post<(String, String)>) -> Page {
    let Post { app, path: (slug, bot), visitor, fields, .. } = post;
    let own = changeable(&app, &visitor, &slug, &bot).await?;
    bot_changes::activate(&app, &own, fields.get("version").parse().unwrap_or(0)).await?;
    Ok(changed(&own.arena, &own.bot, "activated"))
}

pub(super) async fn rename(post: Post<(String, String)>) -> Page {
    let Post { app, path: (slug, bot), visitor, fields, .. } = post;
    let own = changeable(&app, &visitor, &slug, &bot).await?;
    bot_changes::rename(&app, &own, fields.get("name")).await?;
    Ok(changed(&own.arena, &own.bot, "renamed"))
}

/// Stops a bot or lets it play again, for its author or an organiser.
pub(super) async fn stop(post: Post<(String, String, String)>) -> Page {
    let Post { app, path: (slug, bot, action), visitor, fields, .. } = post;
    let stop = Stop::ALL.into_iter().find(|(_, name, _)| *name == action);
    let (stop, _, done) = stop.ok_or_else(|| not_found("page"))?;
    let own = changeable(&app, &visitor, &slug, &bot).await?;
    let reason = fields.get("reason").trim();
    if stop == Stop::Disqualify && reason.is_empty() {
        return Err(without_reason());
    }
    bot_changes::stop(&app, &own, stop, reason).await?;
    Ok(changed(&own.arena, &own.bot, done))
}
