//! Numbers, times and sentences as people read them; times as organisers type them.

use std::time::Duration;

use agon_core::text::{escape, number};
use agon_ladder::api::{Rating, Tally, Time, ZonedTime};
use maud::{Markup, html};

/// Returns a count with its digits in groups of three.
pub(crate) fn grouped(count: u64) -> String {
    number::grouped(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Returns a count with its noun: `1 bot`, `2 bots`.
pub(crate) fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { more })
}

/// Says when a version that owes matches has a rank: `ranked after 3 more matches`.
pub(crate) fn ranked_after(owed: u64) -> String {
    format!("ranked after {}", counted(owed, "more match", "more matches"))
}

/// Returns a number of Elo points, rounded: `1 234`, `−35`; `?` if it is none.
pub(crate) fn elo(points: f64) -> String {
    if !points.is_finite() {
        return "?".to_owned();
    }
    number::grouped(points.round() as i64)
}

/// Returns a change of Elo points, with its sign: `+12`, `−3`, `±0`.
pub(crate) fn change(points: f64) -> String {
    let text = elo(points);
    match text.as_str() {
        "0" => "±0".to_owned(),
        negative if negative.starts_with('−') || negative == "?" => text,
        _ => format!("+{text}"),
    }
}

/// Returns the interval of a rating in short: `±24`, `≥ 120`, `open`.
pub(crate) fn interval(rating: &Rating) -> String {
    match (rating.low, rating.high) {
        (Some(low), Some(high)) => format!("±{}", elo(((high - low) / 2.0).max(0.0))),
        (Some(low), None) => format!("≥ {}", elo(low)),
        (None, Some(high)) => format!("≤ {}", elo(high)),
        (None, None) => "open".to_owned(),
    }
}

/// Returns the interval of a rating in words: `95 %: from 1 210 to 1 258`.
pub(crate) fn interval_words(rating: &Rating) -> String {
    match (rating.low, rating.high) {
        (Some(low), Some(high)) => format!("95 %: from {} to {}", elo(low), elo(high)),
        (Some(low), None) => format!("95 %: at least {}; no result holds an upper end", elo(low)),
        (None, Some(high)) => format!("95 %: at most {}; no result holds a lower end", elo(high)),
        (None, None) => "no result holds an end of the interval".to_owned(),
    }
}

/// Writes a rating with its interval.
pub(crate) fn rating(rating: &Rating) -> Markup {
    html! {
        span.rating title=(interval_words(rating)) {
            b { (elo(rating.elo)) } " " small { (interval(rating)) }
        }
    }
}

/// Writes wins, ties and losses: `12 – 3 – 5`.
pub(crate) fn tally(tally: Tally) -> Markup {
    let words = format!(
        "{} won, {} tied, {} lost",
        grouped(tally.wins),
        grouped(tally.ties),
        grouped(tally.losses)
    );
    html! {
        span.tally title=(words) {
            (grouped(tally.wins)) i { "–" } (grouped(tally.ties)) i { "–" } (grouped(tally.losses))
        }
    }
}

/// Returns the score of a tally, a tie counting half; `None` without matches.
pub(crate) fn score(tally: Tally) -> Option<f64> {
    let total = tally.total();
    (total > 0).then(|| (tally.wins as f64 + tally.ties as f64 / 2.0) / total as f64)
}

/// Returns a number of microseconds with a suitable unit.
pub(crate) fn micros(time: u64) -> String {
    number::duration(Duration::from_micros(time))
}

/// Returns a longer time: `340 ms`, `2.5 s`, `12 min`, `3 h 20 min`, `2 days`.
pub(crate) fn millis(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..120_000 => format!("{:.1} s", ms as f64 / 1e3),
        120_000..7_200_000 => format!("{} min", ms / 60_000),
        7_200_000..172_800_000 => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
        _ => format!("{} days", ms / 86_400_000),
    }
}

/// Returns a size in bytes with a suitable unit: `812 B`, `3.4 KiB`, `1.5 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        _ => number::space(bytes),
    }
}

/// Writes a sentence: what is between two backticks becomes code.
pub(crate) fn sentence(text: &str) -> Markup {
    let text = escape(text);
    let parts: Vec<&str> = text.split('`').collect();
    // The last backtick of an odd number is just a character.
    let pairs = parts.len() / 2 - usize::from(parts.len().is_multiple_of(2) && parts.len() > 1);
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 1 && at / 2 < pairs {
                code { (part) }
            } @else {
                @if at % 2 == 1 { "`" }
                (part)
            }
        }
    }
}

/// Makes a sentence of a message of another part.
pub(crate) fn as_sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Returns what stands before the output of a compiler.
pub(crate) fn first_line(why: &str) -> &str {
    why.lines().next().unwrap_or_default().trim_end_matches(':')
}

/// Returns the time of a number of milliseconds since 1970.
pub(crate) fn time(ms: i64) -> Time {
    Time(u64::try_from(ms / 1_000).unwrap_or(0))
}

pub(crate) fn now() -> Time {
    time(crate::store::now())
}

/// Writes a time in UTC.
pub(crate) fn utc(time: Time) -> Markup {
    html! { time datetime=(time.machine()) { (time) } }
}

/// Writes a time in the zone of its organiser, and in UTC if that is another one.
pub(crate) fn zoned(time: ZonedTime) -> Markup {
    html! {
        time datetime=(time.at.machine()) { (time) }
        @if time.offset != 0 { small { " (" (time.at) ")" } }
    }
}

/// Writes how long ago something was, or that it never was; the time itself is the title.
pub(crate) fn ago(time: Time) -> Markup {
    if time == Time::default() {
        return html! { "never" };
    }
    let text = match now().0.saturating_sub(time.0) {
        0..5 => "just now".to_owned(),
        seconds => format!("{} ago", length(seconds)),
    };
    html! { time.ago datetime=(time.machine()) title=(time) { (text) } }
}

/// Says how long something will take; nothing if it is over.
pub(crate) fn left(time: Time) -> Option<String> {
    let seconds = time.0.checked_sub(now().0).filter(|&seconds| seconds > 0)?;
    Some(format!("{} left", length(seconds)))
}

/// Returns a length of time in one unit: `12 min`, `3 days`.
pub(crate) fn length(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Reads a local time such as `2026-11-26T15:05` with a zone such as `+01:00`, or `UTC`.
pub(crate) fn typed(local: &str, zone: &str) -> Option<ZonedTime> {
    let offset = offset(zone)?;
    let local: Time = local.parse().ok()?;
    Some(ZonedTime { at: Time(local.0.checked_add_signed(-i64::from(offset) * 60)?), offset })
}

/// Returns how many minutes clocks of a zone are ahead of UTC.
fn offset(zone: &str) -> Option<i32> {
    let text = zone.strip_prefix("UTC").unwrap_or(zone);
    if matches!(text, "" | "Z") {
        return Some(0);
    }
    let mut digits = text.chars();
    let sign = match digits.next()? {
        '+' => 1,
        '-' | '−' => -1,
        _ => return None,
    };
    let rest = digits.as_str();
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let is_zone = (0..=14).contains(&hours) && (0..=59).contains(&minutes);
    is_zone.then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_have_intervals_in_short() {
        let rating = |low, high| Rating { elo: 10.0, low, high };
        assert_eq!(interval(&rating(Some(-14.0), Some(34.0))), "±24");
        assert_eq!(interval(&rating(Some(-14.0), None)), "≥ −14");
        assert_eq!(interval(&rating(None, Some(1234.4))), "≤ 1\u{202f}234");
        assert_eq!(elo(f64::NAN), "?");
        assert_eq!(elo(f64::INFINITY), "?");
        assert_eq!([12.4, -3.0, 0.2].map(change), ["+12", "−3", "±0"]);
    }

    #[test]
    fn sizes_and_times_have_suitable_units() {
        assert_eq!([812, 3_500, 3 << 19].map(bytes), ["812 B", "3.4 KiB", "1.5 MiB"]);
        assert_eq!(millis(200_000_000), "2 days");
        assert_eq!(score(Tally { wins: 1, ties: 1, losses: 0 }), Some(0.75));
        assert_eq!(score(Tally::default()), None);
    }

    #[test]
    fn pairs_of_backticks_are_code() {
        for (text, html) in [
            ("", ""),
            ("plain", "plain"),
            ("see `agon rules`.", "see <code>agon rules</code>."),
            ("`a` and `<b>`", "<code>a</code> and <code>&lt;b&gt;</code>"),
            ("one ` alone", "one ` alone"),
            ("`a` and ` alone", "<code>a</code> and ` alone"),
        ] {
            assert_eq!(sentence(text).0, html, "{text}");
        }
    }

    #[test]
    fn distances_have_one_unit() {
        assert_eq!([59, 61, 7_300, 200_000].map(length), ["59 s", "1 min", "2 h", "2 days"]);
        assert_eq!(ago(Time(0)).into_string(), "never");
        assert!(ago(now()).into_string().ends_with(">just now</time>"));
        assert_eq!(left(Time(10)), None);
        assert_eq!(left(Time(now().0 + 7_300)).as_deref(), Some("2 h left"));
    }

    #[test]
    fn what_pages_show_can_be_typed() {
        for (local, zone) in [
            ("2026-11-26T15:05", "+01:00"),
            ("2000-02-29T23:59", "-09:30"),
            ("1970-01-01T00:00", "+00:00"),
            ("2100-03-01T12:00", "+05:45"),
        ] {
            let read = typed(local, zone).unwrap();
            assert_eq!((read.local().as_str(), read.zone().as_str()), (local, zone));
        }
        let at = |local, zone| typed(local, zone).unwrap().at;
        assert_eq!(at("2026-11-26T14:05", "UTC"), at("2026-11-26T15:05:00", "+1"));
        for zone in ["CET", "+25:00", "+1:70", "1", "+"] {
            assert_eq!(typed("2026-01-01T10:00", zone), None, "{zone}");
        }
    }
}
