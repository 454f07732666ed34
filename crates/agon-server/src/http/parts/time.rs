//! Times in pages, and as organisers type them.

use agon_ladder::api::{Time, ZonedTime};
use maud::{Markup, html};

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
