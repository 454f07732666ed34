//! The page of a match, its replay, and what organisers do with it: for pages and the API.

use std::sync::Arc;

use agon_ladder::api::{BotRef, Match, MatchState, MatchSummary, Phase};
use agon_ladder::ledger::Entry;
use agon_match::replay::{Replay, Verdict};

use super::parts::lists::{faults, seats};
use super::{parts::layout::arena_page_with_events, parts::values::millis, prelude::*};
use crate::store::match_filter::{Against, MatchFilter};
use crate::store::matches::{MatchState as MatchStored, Seat};
use crate::store::{counts, ledger, matches, versions::Version};

#[derive(Debug, Default, Deserialize)]
pub(super) struct MatchQuery {
    turn: Option<u64>,
}

pub(super) async fn page(get: Get<(String, u64), MatchQuery>) -> Page {
    let Get { app, path: (slug, number), query, visitor } = get;
    let turn = query.turn;
    let (arena, seated) = find(&app, &slug, number).await?;
    let board = arena.board();
    let of = views::whole_match(&arena, &seated, &visitor);
    let logs = logs(&board, &seated, &visitor);
    let last = app.store.last_match(arena.id()).await?;
    let may_watch = visitor.person.is_some() || !app.limits.are_replays_for_members();
    let game = arena.settings().game;
    let title = format!("Match {number}");
    let proof = format!("/log/proofs/{}/{number}.txt", seated.of.arena);
    let main = html! {
        div.bar {
            h1 { (title) " " (badge::match_state(of.state)) }
            nav.paging aria-label="Other matches" {
                @if number > 1 {
                    a href=(link::match_page(&slug, number - 1)) rel="prev" { "← " (number - 1) }
                }
                @if number < last {
                    a href=(link::match_page(&slug, number + 1)) rel="next" { (number + 1) " →" }
                }
            }
        }
        (reason(&of))
        (seats(&slug, &of.seats, &[]))
        div.beside[!logs.is_empty()] {
            div { (board_of(&slug, game, &seated, may_watch, turn)) }
            @if !logs.is_empty() {
                section.logs aria-labelledby="logs" {
                    h2 #logs { (whose_logs(&of, logs.len())) }
                    @for (title, text) in &logs { (log(title, text)) }
                }
            }
        }
        dl.facts-list {
            div { dt { "Turns" } dd { (grouped(of.turns.unwrap_or(0))) } }
            @if let Some(seed) = &of.seed {
                div { dt { "Seed" } dd { code { (names::text(seed)) } } }
            }
            div { dt { "Duration" } dd { (millis(of.ms.unwrap_or(0))) } }
            div { dt { "Ended" } dd { (utc(of.played.unwrap_or(of.planned))) } }
            @if let Some(machine) = &of.machine {
                div { dt { "Played by" } dd { (names::text(&machine.worker)) } }
                @if machine.limits_percent != 100 {
                    div {
                        dt { "CPU limits" }
                        dd {
                            (machine.limits_percent)
                            " % of the arena's, because that machine has another speed"
                        }
                    }
                }
            }
        }
        @if !of.faults.is_empty() || of.more_faults > 0 {
            (section("faults", "Faults", faults(&of.seats, &of.faults, of.more_faults)))
        }
        @if of.replay && may_watch {
            (section("share", "Share", html! {
                @let replay = link::replay(&slug, of.number);
                @let page = link::match_page(&slug, of.number);
                @let turn = turn.unwrap_or(0);
                @let embed = format!(
                    "<iframe src=\"{}{}\" width=\"720\" height=\"520\" title=\"Match {} on Agon\" \
                     allow=\"fullscreen\"></iframe>",
                    visitor.base,
                    link::viewer(game, &replay, Some(turn)).replace('&', "&amp;"),
                    of.number
                );
                form.row.fields method="get" action=(page) {
                    div.field {
                        label for="turn" { "Start at turn" }
                        input #turn name="turn" type="number" min="0" max=(of.turns.unwrap_or(0))
                            value=(turn);
                    }
                    button type="submit" { "Show this turn" }
                    a.button href=(replay) download { "Download the replay" }
                }
                @let address = format!("{}{page}?turn={turn}", visitor.base);
                (form::copied("address", "Address of this turn", &address))
                div.field {
                    label for="embed" { "Code for other pages" }
                    textarea #embed readonly rows="3" { "\n" (form::raw(&embed)) }
                    button type="button" data-copy="embed" hidden { "Copy" }
                }
            }))
        }
        @if let Some(entry) = seated.of.logged {
            (section("proof", "Proof", html! {
                p {
                    "The result is entry " (entry) " of this ladder's "
                    a href="/log/checkpoint" { "public log" }
                    ", which nobody can change unnoticed. "
                    code { "agon ladder verify " (visitor.base) }
                    " checks the log, the published tables, and matches."
                }
                a.button href=(proof) download { "Download the proof" }
            }))
        }
        @if visitor.role() >= Role::Organiser {
            @let below = |action: &str| format!("{}/{action}", link::match_page(&slug, of.number));
            section.organise aria-labelledby="organise" {
                h2 #organise { "For organisers" }
                (form::button(&visitor, &below("check"), "Check this match", ""))
                p.hint {
                    "Agon plays the recorded answers again by the rules, and compares every state."
                }
                @if of.state == MatchState::Annulled {
                    (form::button(&visitor, &below("restore"), "Count this match again", ""))
                } @else {
                    (form::form(&visitor, &below("annul"), html! {
                        (Field {
                            label: "Reason, which everybody can read", name: "reason",
                            required: true, most: form::MAX_MESSAGE, ..Default::default()
                        })
                        button.danger type="submit" { "Annul this match" }
                    }))
                }
            }
        }
    };
    let head = views::head(&arena, &board, &visitor);
    Ok(arena_page(&visitor, &head, Tab::Matches, &title, main))
}

/// Returns what the bots wrote to stderr that the visitor may see, with titles.
fn logs(board: &Board, seated: &SeatedMatch, visitor: &Visitor) -> Vec<(String, String)> {
    let may_see = views::may_see(board, seated, visitor);
    let log = |seat: &Seat| {
        let bot = views::played_or_unknown(board, seat.version);
        let title = match bot.version {
            Some(version) => format!("stderr of {} v{version}", bot.name),
            None => format!("stderr of {}", bot.name),
        };
        Some((title, views::stderr(seat.stderr.as_deref()?)))
    };
    seated.seats.iter().filter(|seat| may_see[seat.seat]).filter_map(log).collect()
}

/// Says whose output the viewer sees: organisers also see that of others.
fn whose_logs(of: &Match, logs: usize) -> &'static str {
    let own = of.seats.iter().filter(|seat| seat.own).count();
    match (own, logs) {
        (0, 1) => "stderr of the bot",
        (own, logs) if own < logs => "stderr of the bots",
        (_, 1) => "stderr of your bot",
        _ => "stderr of your bots",
    }
}

fn reason(of: &Match) -> Markup {
    let reason = of.reason.as_deref().unwrap_or_default();
    let words = match of.state {
        MatchState::Played => return html! {},
        MatchState::Running => "This match is being played.",
        MatchState::Void => "This match counts for nobody.",
        MatchState::Annulled => "An organiser annulled this match.",
    };
    html! {
        div.notice.warning {
            p { strong { (words) } @if !reason.is_empty() { " Reason: " (reason) } }
        }
    }
}

fn board_of(
    arena: &str,
    game: GameId,
    seated: &SeatedMatch,
    may_watch: bool,
    turn: Option<u64>,
) -> Markup {
    let number = seated.of.number;
    match (seated.of.replay, &seated.of.removed) {
        (Some(_), _) if may_watch => {
            viewer(&format!("Viewer: match {number}"), game, &link::replay(arena, number), turn)
        }
        (Some(_), _) => html! {
            p.empty { a href="/sign-in" { "Sign in" } " to watch this match." }
        },
        (None, Some(removed)) => html! {
            div.empty {
                p {
                    "The server removed the replay of this match (" (utc(time(removed.at))) "), "
                    @if removed.is_erased {
                        "because the author of a bot was erased. The result counts as before."
                    } @else {
                        "because it keeps replays for a limited time only."
                    }
                }
                p { "Digest of the replay: " code { (names::text(&removed.digest.to_string())) } }
            }
        },
        (None, None) => html! { p.empty { "There is no replay of this match." } },
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ReplayQuery {
    /// Anything: a viewer asks that does not know the game.
    scenes: Option<String>,
}

pub(super) async fn replay(get: Get<(String, u64), ReplayQuery>) -> Page {
    let Get { app, path: (slug, number), query, visitor } = get;
    let (arena, seated) = find(&app, &slug, number).await?;
    let bytes = replay_bytes(&app, &arena, &seated, &visitor).await?;
    replay_file(&app, &format!("{slug}-{number}"), bytes, &query).await
}

/// Returns a replay as a file; for a viewer that does not know its game, what shows it.
pub(super) async fn replay_file(
    app: &App,
    name: &str,
    replay: Vec<u8>,
    query: &ReplayQuery,
) -> Page {
    let file =
        |ending: &str, bytes: Vec<u8>| Ok(attachment(BYTES, &format!("{name}.{ending}"), bytes));
    if query.scenes.is_none() {
        return file("agon", replay);
    }
    let turn = Arc::clone(&app.scenes).acquire_owned().await.map_err(anyhow::Error::from)?;
    let work = blocking(move || -> anyhow::Result<_> {
        // The visitor may go away, but this goes on.
        let _turn = turn;
        Ok((agon_web::bundle::scenes(&Replay::open(replay.clone())?, &replay)?, replay))
    });
    match work.await? {
        Ok((Some(shown), _)) => file("scenes", shown.messages),
        Ok((None, replay)) => file("agon", replay),
        // The rules may have changed since.
        Err(error) => {
            let advice = as_sentence(&error.to_string());
            Err(failure(Unprocessable, "This match cannot be shown", advice))
        }
    }
}

/// Returns the replay of a match with what the visitor may see.
pub(super) async fn replay_bytes(
    app: &App,
    arena: &ArenaHandle,
    seated: &SeatedMatch,
    visitor: &Visitor,
) -> Shown<Vec<u8>> {
    let digest = seated.of.replay.ok_or_else(|| not_found("replay"))?;
    let may_see = views::may_see(&arena.board(), seated, visitor);
    let blobs = app.blobs.clone();
    let names = names(&arena.board(), seated);
    let bytes = blocking(move || -> anyhow::Result<Vec<u8>> {
        let bytes = blobs.get(digest)?;
        let replay = Replay::open(bytes)?;
        // What a bot wrote, and what it was asked, is for its author.
        let may_see = |player: agon_core::Player| may_see.get(player.index()) == Some(&true);
        let redacted = Replay::open(replay.redacted(may_see)?)?;
        Ok(redacted.renamed(&names)?)
    });
    Ok(bytes.await??)
}

/// Returns the names of the players as they are now: those in replays are for the bots.
fn names(board: &Board, seated: &SeatedMatch) -> Vec<String> {
    let name = |seat: &Seat| match board.version(seat.version) {
        Some((bot, _)) if bot.bot.owner.is_none() => bot.bot.name.clone(),
        Some((bot, brief)) => format!("{} v{}", bot.bot.name, brief.number),
        // Its author was erased.
        None => seat.version.to_string(),
    };
    seated.seats.iter().map(name).collect()
}

/// Plays a match again by its rules, from the recorded answers.
pub(super) async fn post_check(post: Post<(String, u64)>) -> Page {
    let Post { app, path: (slug, number), visitor, .. } = post;
    let problem = check(&app, &visitor, &slug, number).await?;
    let done = if problem.is_none() { "checked" } else { "check-failed" };
    Ok(to(&format!("/arenas/{slug}/matches/{number}?done={done}")))
}

pub(super) async fn post_annul(post: Post<(String, u64)>) -> Page {
    let Post { app, path: (slug, number), visitor, fields, .. } = post;
    let reason = fields.get("reason").trim();
    if reason.is_empty() {
        return Err(without_reason());
    }
    set_annulled(&app, &visitor, &slug, number, Some(reason)).await?;
    Ok(to(&format!("/arenas/{slug}/matches/{number}?done=annulled")))
}

pub(super) async fn post_restore(post: Post<(String, u64)>) -> Page {
    let Post { app, path: (slug, number), visitor, .. } = post;
    set_annulled(&app, &visitor, &slug, number, None).await?;
    Ok(to(&format!("/arenas/{slug}/matches/{number}?done=restored")))
}

/// Finds a match.
pub(super) async fn find(app: &App, slug: &str, number: u64) -> Shown<(ArenaHandle, SeatedMatch)> {
    let arena = views::arena(app, slug)?;
    let found = app.store.seated_match(arena.id(), number).await?;
    Ok((arena, found.ok_or_else(|| not_found("match"))?))
}

/// Plays a match again by its rules, from the recorded answers. Returns what differs, if anything
/// does.
pub(super) async fn check(
    app: &App,
    visitor: &Visitor,
    slug: &str,
    number: u64,
) -> Shown<Option<String>> {
    let organiser = visitor.must_be(Role::Organiser)?.id;
    let (arena, seated) = find(app, slug, number).await?;
    let digest = seated.of.replay.ok_or_else(|| not_found("replay"))?;
    let game = arena.settings().game;
    let blobs = app.blobs.clone();
    let work = blocking(move || -> anyhow::Result<Option<String>> {
        let replay = Replay::open(blobs.get(digest)?)?;
        Ok(match replay.verify(game.kind()) {
            Verdict::Proven { .. } => None,
            Verdict::Unproven { reason, .. } => Some(reason.to_string()),
        })
    });
    // A replay that is missing or damaged is a finding, too.
    let found = work.await?;
    let problem = found.unwrap_or_else(|error| Some(error.to_string()));
    let subject = format!("{slug} match {number}");
    let detail = problem.as_deref().unwrap_or_default();
    app.store.write(vec![audit::note(Some(organiser), "match.check", &subject, detail)]).await?;
    Ok(problem)
}

/// Takes a match out of the count with a reason; without one, puts it into the count again.
pub(super) async fn set_annulled(
    app: &App,
    visitor: &Visitor,
    slug: &str,
    number: u64,
    reason: Option<&str>,
) -> Shown<()> {
    let organiser = visitor.must_be(Role::Organiser)?.id;
    let _read = app.erasing.read().await;
    let (arena, seated) = find(app, slug, number).await?;
    let refused = |title, advice| Err(failure(Conflict, title, advice));
    match (reason, seated.of.state) {
        (Some(_), MatchStored::Played) | (None, MatchStored::Annulled) => {}
        (Some(_), _) => return refused("This match does not count", "There is nothing to annul."),
        (None, _) => {
            return refused("This match is not annulled", "There is nothing to take back.");
        }
    }
    // Counts have the players in order of their ids.
    let mut both: Vec<(i64, u32)> =
        seated.seats.iter().map(|seat| (seat.version, seat.place.unwrap_or(0))).collect();
    both.sort_unstable();
    let (players, places): (Vec<i64>, Vec<u32>) = both.into_iter().unzip();
    let before = seated.of.outcome.unwrap_or_default();
    let id = arena.id();
    let logged = arena.id().cast_unsigned();
    let (change, by, entry, action, why) = match reason {
        Some(reason) => {
            let outcome = matches::Outcome { annulled: one_line(reason, 500), ..before };
            let entry = Entry::Annulled { arena: logged, number };
            (matches::annul(id, number, &outcome), -1, entry, "match.annul", outcome.annulled)
        }
        None => {
            let why = before.annulled.clone();
            let outcome = matches::Outcome { annulled: String::new(), ..before };
            let entry = Entry::Restored { arena: logged, number };
            (matches::restore(id, number, &outcome), 1, entry, "match.restore", why)
        }
    };
    let note = audit::note(Some(organiser), action, &format!("{slug} match {number}"), &why);
    let mut statements = vec![change];
    statements.extend(counts::count(id, &players, &places, by));
    statements.extend([ledger::append(&entry), note, counts::outdate(id)]);
    app.store.write(statements).await?;
    arena.touch();
    app.orders.send(Order::Refresh { arena: id });
    Ok(())
}

/// Matches on a page of a list.
const PAGE: u64 = 50;

/// A number above those of all matches.
pub(super) const ALL: u64 = i64::MAX as u64;

/// What the list is asked for. All fields come from a form, so they may be empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ListQuery {
    /// A bot: its name, or its name in addresses.
    bot: String,
    /// Another one that it met.
    against: String,
    /// Anything: only matches with faults.
    faults: String,
    page: Option<u64>,
    /// The number of the match before which the page of a list with filters begins.
    before: Option<u64>,
}

pub(super) async fn list(Get { app, path: slug, query, visitor }: Get<String, ListQuery>) -> Page {
    let arena = views::arena(&app, &slug)?;
    let board = arena.board();
    let mut bots = Vec::new();
    for name in [query.bot.trim(), query.against.trim()].into_iter().filter(|name| !name.is_empty())
    {
        bots.push(find_bot(&board, name)?);
    }
    let (bot, against) = (bots.first().copied(), bots.get(1).copied());
    if let (Some(bot), Some(against)) = (bot, against)
        && bot.bot.id == against.bot.id
    {
        let advice = "Choose two bots. No bot plays against itself.";
        return Err(failure(ProblemCode::BadRequest, "These are two names of one bot", advice));
    }
    let with_faults = !query.faults.is_empty();
    let mut kept = Vec::new();
    for (name, bot) in [("bot", bot), ("against", against)] {
        kept.extend(bot.map(|bot| format!("{name}={}", link::value(&bot.bot.slug))));
    }
    kept.extend(with_faults.then(|| "faults=1".to_owned()));
    let kept = kept.join("&");
    let is_cut = bot.is_some() || with_faults;
    let (rows, older, (page, pages)) = if is_cut {
        // Nobody counts those that fit: that would take long.
        let filter = MatchFilter {
            against: against.map(|bot| Against::Bot(bot.bot.id)),
            with_faults,
            versions: match bot {
                Some(bot) => Some(have_played(&app.store.versions(bot.bot.id).await?)),
                None => None,
            },
        };
        let before = query.before.unwrap_or(ALL).min(ALL);
        let mut rows = app.store.matches(arena.id(), &filter, before, PAGE as u32 + 1).await?;
        let is_more = rows.len() > PAGE as usize;
        rows.truncate(PAGE as usize);
        let older = rows.last().map(|last| last.of.number).filter(|_| is_more);
        (rows, older, (0, 0))
    } else {
        // The number of all matches is known.
        let total = app.store.last_match(arena.id()).await?;
        let pages = total.div_ceil(PAGE);
        let page = query.page.unwrap_or(1).clamp(1, pages.clamp(1, 1_000_000));
        let before = (total + 1).saturating_sub((page - 1) * PAGE);
        let filter = MatchFilter::default();
        let rows = app.store.matches(arena.id(), &filter, before, PAGE as u32).await?;
        (rows, None, (page, pages))
    };
    let head = views::head(&arena, &board, &visitor);
    let [bot, against] = [bot, against].map(|bot| bot.map(|bot| views::bot_ref(&board, bot)));
    let rows: Vec<MatchSummary> =
        rows.iter().map(|seated| views::match_summary(&board, seated)).collect();
    let before = query.before.filter(|_| is_cut);
    let value = |bot: &Option<BotRef>| bot.as_ref().map_or(String::new(), |bot| bot.slug.clone());
    let fields = [
        ("bot", "Only matches of this bot", "Bot", value(&bot)),
        ("against", "Only matches against this bot", "Against", value(&against)),
    ];
    let main = html! {
        div.bar {
            h1 { "Matches" }
            form.search method="get" action=(head.below("matches")) role="search" {
                @for (name, words, short, value) in &fields {
                    label.unseen for=(name) { (words) }
                    input id=(name) name=(name) type="search" value=(form::raw(value))
                        placeholder=(short) autocomplete="off";
                }
                (form::check("faults", "checkbox", ("faults", "1"), with_faults, html! {
                    "With faults only"
                }))
                button type="submit" { "Filter" }
            }
        }
        @if is_cut {
            p {
                "Only those "
                @if let Some(bot) = &bot { "of " (names::bot(&slug, bot)) }
                @if let Some(other) = &against { " against " (names::bot(&slug, other)) }
                @if with_faults {
                    @match bot {
                        Some(_) => { ", in which it committed a fault" },
                        None => { "in which a bot committed a fault" },
                    }
                }
                " · "
                a href=(head.below("matches")) { "Show all" }
            }
        }
        div #live {
            @if is_cut && rows.is_empty() {
                p.empty { "There is no such match." }
            } @else {
                (lists::matches(&head.arena, &rows, bot.as_ref().map(|bot| bot.slug.as_str())))
            }
            (lists::paging(page, pages, &kept, "Pages of the list"))
            @if older.is_some() || before.is_some() {
                nav.paging aria-label="Pages of the list" {
                    @if before.is_some() { a href={ "?" (kept) } { "← Newest" } }
                    @if let Some(older) = older {
                        a href={ "?" (kept) "&before=" (older) } rel="next" { "Older →" }
                    }
                }
            }
        }
    };
    let is_newest = page <= 1 && before.is_none();
    let is_live = is_newest && head.arena.phase != Phase::Over;
    Ok(arena_page_with_events(&visitor, &head, Tab::Matches, "Matches", is_live, main))
}

/// Returns those of a bot's versions that have played.
pub(super) fn have_played(versions: &[Version]) -> Vec<i64> {
    let played = versions.iter().filter(|version| version.play.matches > 0);
    played.map(|version| version.id).collect()
}

/// Finds a bot by its name in addresses, or by its name.
fn find_bot<'a>(board: &'a Board, name: &str) -> Shown<&'a BoardBot> {
    let wanted = name.to_lowercase();
    let mut all = board.bots.values();
    let found = board.bot(name).or_else(|| all.find(|bot| bot.bot.name.to_lowercase() == wanted));
    found.ok_or_else(|| not_found("bot"))
}

#[cfg(test)]
mod tests {
    use agon_ladder::api::Seat;

    use super::*;

    #[test]
    fn organisers_read_whose_output_they_see() {
        let heading = |own: [bool; 2], logs: usize| {
            let seats = own.map(|own| Seat { own, ..Seat::default() }).to_vec();
            whose_logs(&Match { seats, ..Match::default() }, logs)
        };
        assert_eq!(heading([true, false], 1), "stderr of your bot");
        assert_eq!(heading([true, false], 2), "stderr of the bots");
        assert_eq!(heading([false, false], 1), "stderr of the bot");
    }
}
