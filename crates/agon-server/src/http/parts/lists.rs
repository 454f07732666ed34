//! Tables and lists: of matches, seats and faults, output of programs, links to other pages.

use agon_core::text::escape_lines;
use agon_games::GameId;
use agon_ladder::api::{ArenaSummary, BotRef, Fault, FaultCount, MatchState, MatchSummary, Seat};
use maud::{Markup, html};

use super::names::{author, bot, text, title, unknown};
use super::values::{ago, counted, grouped, micros};
use super::{badge, link};

/// The head of the column with wins, ties and losses.
pub(crate) const TALLY: (&str, &str) = ("n", "W – T – L");

/// Writes a table: its classes, the classes and words of its columns' heads, and its rows.
pub(crate) fn table(class: &str, heads: &[(&str, &str)], rows: Markup) -> Markup {
    html! { div.scroll { (bare_table(class, heads, rows)) } }
}

/// Writes a table that may be wide: the keyboard scrolls it, and a label names it.
pub(crate) fn wide_table(label: &str, class: &str, heads: &[(&str, &str)], rows: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(label) {
            (bare_table(class, heads, rows))
        }
    }
}

/// Writes a table that is as narrow as its page.
pub(crate) fn bare_table(class: &str, heads: &[(&str, &str)], rows: Markup) -> Markup {
    html! {
        table class=(class) { (head(heads)) tbody { (rows) } }
    }
}

/// Writes the head of a table.
pub(crate) fn head(heads: &[(&str, &str)]) -> Markup {
    html! {
        thead {
            tr {
                @for (class, words) in heads {
                    @let title = (*words == TALLY.1).then_some("Won – tied – lost");
                    th class=[(!class.is_empty()).then_some(class)] scope="col" title=[title] {
                        (words)
                    }
                }
            }
        }
    }
}

/// Writes a section with its heading; `id` is that of the heading.
pub(crate) fn section(id: &str, heading: &str, contents: Markup) -> Markup {
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (heading) }
            (contents)
        }
    }
}

/// Writes a count that is bad unless it is zero.
pub(crate) fn bad_count(count: u64) -> Markup {
    html! {
        @if count > 0 { span.bad { (grouped(count)) } } @else { span.faint { "0" } }
    }
}

/// Returns the bot on a seat.
fn bot_of(bot: Option<&BotRef>) -> BotRef {
    bot.cloned().unwrap_or_else(unknown)
}

/// Writes a list of matches of one arena, newest first.
///
/// `own`: the slug of the bot from whose view results are shown.
pub(crate) fn matches(arena: &ArenaSummary, matches: &[MatchSummary], own: Option<&str>) -> Markup {
    let rows: Vec<_> = matches.iter().map(|one| (arena, one)).collect();
    match_table(&rows, own, false)
}

/// Writes a list of matches of several arenas.
pub(crate) fn all_matches(matches: &[(&ArenaSummary, &MatchSummary)]) -> Markup {
    match_table(matches, None, true)
}

fn match_table(
    rows: &[(&ArenaSummary, &MatchSummary)],
    own: Option<&str>,
    has_arenas: bool,
) -> Markup {
    if rows.is_empty() {
        return html! { p.empty { "No match has been played yet." } };
    }
    let mut heads = vec![("", "Match")];
    match own {
        Some(_) => heads.extend([("", "Result"), ("", "Against")]),
        None => heads.push(("", "Bots, best first")),
    }
    heads.extend(has_arenas.then_some(("minor", "Arena")));
    let when = if own.is_some() { "n less" } else { "n" };
    heads.extend([("n extra", "Turns"), ("n minor", "Faults"), (when, "When")]);
    let line = |arena: &ArenaSummary, one: &MatchSummary| {
        let faults = one.seats.iter().fold(0, |sum: u64, seat| sum.saturating_add(seat.faults));
        html! {
            tr {
                th scope="row" {
                    a href=(link::match_page(&arena.slug, one.number)) {
                        span.unseen { "Match " } "#" (one.number)
                    }
                }
                @if let Some(own) = own { td { (result(one, own)) } }
                td {
                    (lineup(&arena.slug, one, own))
                    @if own.is_none() { (badge::match_state(one.state)) }
                }
                @if has_arenas {
                    td.minor.arena { a href=(link::arena(&arena.slug)) { (text(&arena.title)) } }
                }
                td.n.extra { (grouped(one.turns.unwrap_or(0))) }
                td.n.minor { (bad_count(faults)) }
                td.n.less[own.is_some()] { (ago(one.played.unwrap_or(one.planned))) }
            }
        }
    };
    let rows = html! { @for &(arena, one) in rows { (line(arena, one)) } };
    table("matches", &heads, rows)
}

/// Writes the bots of a match, or the opponents of one of them, best first.
fn lineup(arena: &str, one: &MatchSummary, own: Option<&str>) -> Markup {
    let mut seats: Vec<_> = one.seats.iter().collect();
    seats.sort_by_key(|seat| seat.place.unwrap_or(u32::MAX));
    let slug = |bot: &Option<BotRef>| bot.as_ref().map_or(String::new(), |bot| bot.slug.clone());
    html! {
        ul.lineup {
            @for seat in seats.into_iter().filter(|seat| Some(slug(&seat.bot).as_str()) != own) {
                li.first[seat.place == Some(1)] {
                    @if let Some(place) = seat.place {
                        span.place { span.unseen { "place " } (place) }
                    }
                    (bot(arena, &bot_of(seat.bot.as_ref())))
                }
            }
        }
    }
}

/// Writes the result of a match for one bot.
fn result(one: &MatchSummary, own: &str) -> Markup {
    if one.state != MatchState::Played {
        return badge::match_state(one.state);
    }
    let is_own = |bot: &Option<BotRef>| bot.as_ref().is_some_and(|bot| bot.slug == own);
    let Some(seat) = one.seats.iter().find(|seat| is_own(&seat.bot)) else { return html! {} };
    let place = seat.place.unwrap_or(0);
    if one.seats.len() > 2 {
        let of = counted(one.seats.len() as u64, "bot", "bots");
        return html! { span.place { b { (place) } small { " of " (of) } } };
    }
    let same = one.seats.iter().filter(|other| other.place == seat.place).count();
    badge::result(place == 1, same > 1)
}

/// Writes a table of the bots of a match, best first. `scores` may be empty.
pub(crate) fn seats(arena: &str, seats: &[Seat], scores: &[String]) -> Markup {
    let mut order: Vec<(usize, &Seat)> = seats.iter().enumerate().collect();
    order.sort_by_key(|(at, seat)| (seat.place.unwrap_or(u32::MAX), *at));
    let has_times = seats.iter().any(|seat| seat.cpu_us.is_some());
    let mut heads = vec![("n", "Place"), ("", "Bot"), ("minor", "Author"), ("n extra", "Seat")];
    heads.extend((!scores.is_empty()).then_some(("n", "Score")));
    heads.extend(has_times.then_some(("n less", "Thinking time")));
    heads.push(("", "Faults"));
    html! {
        div.scroll {
            table.seats {
                caption.unseen { "Result" }
                (head(&heads))
                tbody {
                    @for (at, seat) in order {
                        @let of = bot_of(seat.bot.as_ref());
                        tr.own[seat.own] {
                            td.n.place {
                                @if let Some(place) = seat.place { b { (place) } } @else { "–" }
                            }
                            th scope="row" {
                                (bot(arena, &of))
                                @if seat.own { " " (badge::own("yours")) }
                            }
                            td.minor { (author(&of)) }
                            td.n.extra { (at + 1) }
                            @if let Some(score) = scores.get(at) { td.n { (text(score)) } }
                            @if has_times {
                                td.n.less { (seat.cpu_us.map_or("–".to_owned(), micros)) }
                            }
                            td.text {
                                @if seat.faults.is_empty() { span.faint { "none" } }
                                @for (at, fault) in seat.faults.iter().enumerate() {
                                    @if at > 0 { ", " }
                                    span.bad { (grouped(fault.count)) " × " (fault.kind) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Writes how many faults there were of each kind.
pub(crate) fn fault_counts(arena: &str, faults: &[FaultCount]) -> Markup {
    if faults.is_empty() {
        return html! { p.faint { "No faults." } };
    }
    let rows = html! {
        @for fault in faults {
            tr {
                th.text scope="row" { (fault.kind) }
                td.n {
                    (grouped(fault.count))
                    @if let Some(number) = fault.example {
                        " · " a href=(link::match_page(arena, number)) { "match " (number) }
                    }
                }
            }
        }
    };
    bare_table("plain", &[("", "Fault"), ("n", "Times")], rows)
}

/// Writes a list of faults with their evidence. `more` are not in the list.
pub(crate) fn faults(seats: &[Seat], faults: &[Fault], more: u64) -> Markup {
    let name = |seat: u32| match seats.get(seat as usize) {
        Some(seat) => title(&bot_of(seat.bot.as_ref())),
        None => format!("seat {}", u64::from(seat) + 1),
    };
    let others = if faults.is_empty() { "" } else { " more" };
    html! {
        ul.faults {
            @for fault in faults {
                li {
                    span.turn { "turn " (grouped(fault.step)) }
                    " "
                    b { bdi { (name(fault.seat)) } } " " span.bad { (fault.kind) }
                    @if !fault.detail.is_empty() { ": " (fault.detail) }
                    @if let Some(evidence) = fault.evidence.as_ref().filter(|it| !it.is_empty()) {
                        details {
                            summary { "Evidence" }
                            (code("Evidence", evidence))
                        }
                    }
                }
            }
        }
        @if more == 1 {
            p.faint { "1" (others) " fault is not listed." }
        } @else if more > 0 {
            p.faint { (grouped(more)) (others) " faults are not listed." }
        }
    }
}

/// Writes output of a program with its title, which may be empty.
pub(crate) fn log(title: &str, text: &str) -> Markup {
    html! {
        figure.log {
            @if !title.is_empty() { figcaption { (title) } }
            (output(if title.is_empty() { "Output" } else { title }, text))
        }
    }
}

/// Writes several lines of foreign text.
pub(crate) fn output(label: &str, text: &str) -> Markup {
    html! {
        @if text.trim().is_empty() {
            p.faint { "Nothing was written." }
        } @else {
            (code(label, text))
        }
    }
}

/// Writes foreign text of several lines, with its hidden characters shown. Readers can scroll it
/// with the keyboard.
pub(crate) fn code(label: &str, text: &str) -> Markup {
    html! {
        pre tabindex="0" role="group" aria-label=(label) {
            // Line ends of Windows would fill each line with an escape that says nothing.
            code { (escape_lines(&text.replace("\r\n", "\n"))) }
        }
    }
}

/// Shows a replay of a game from a turn.
pub(crate) fn viewer(title: &str, game: GameId, replay: &str, turn: Option<u64>) -> Markup {
    html! {
        div.viewer {
            iframe src=(link::viewer(game, replay, turn)) title=(title) allow="fullscreen" {}
        }
    }
}

/// Writes links to the other pages of a long list, if there are any. `kept` are other parameters,
/// encoded.
pub(crate) fn paging(page: u64, pages: u64, kept: &str, label: &str) -> Markup {
    if pages < 2 {
        return html! {};
    }
    let kept = if kept.is_empty() { String::new() } else { format!("{kept}&") };
    let address = |page: u64| format!("?{kept}page={page}");
    html! {
        nav.paging aria-label=(label) {
            @if page > 1 { a href=(address(page - 1)) rel="prev" { "← Previous" } }
            @for (at, (number, is_cut)) in near(page, pages).into_iter().enumerate() {
                @if at > 0 && is_cut { span aria-hidden="true" { "…" } }
                a href=(address(number)) aria-current=[(number == page).then_some("page")] {
                    span.unseen { "Page " } (grouped(number))
                }
            }
            @if page < pages { a href=(address(page + 1)) rel="next" { "Next →" } }
        }
    }
}

/// Returns the numbers of pages with links, each with whether others are left out before it.
fn near(page: u64, pages: u64) -> Vec<(u64, bool)> {
    let around = page.saturating_sub(2).max(1)..=page.saturating_add(2).min(pages);
    let mut numbers: Vec<u64> = [1].into_iter().chain(around).chain([pages]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let before = [0].into_iter().chain(numbers.clone());
    numbers.iter().zip(before).map(|(&page, before)| (page, page > before + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_near_and_to_the_ends() {
        let numbers = |page, pages| -> Vec<u64> {
            near(page, pages).into_iter().map(|(page, _)| page).collect()
        };
        assert_eq!(numbers(1, 3), [1, 2, 3]);
        assert_eq!(numbers(10, 20), [1, 8, 9, 10, 11, 12, 20]);
        assert_eq!(near(5, 9)[1], (3, true));
        assert_eq!(numbers(u64::MAX, 3), [1, 3]);
        let links = paging(2, 3, "tab=published&q=a", "Pages").into_string();
        assert!(links.contains("href=\"?tab=published&amp;q=a&amp;page=3\""), "{links}");
    }
}
