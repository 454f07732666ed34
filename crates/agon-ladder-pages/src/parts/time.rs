//! Times in pages.

use maud::{Markup, html};

use crate::model::{Time, ZonedTime};

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
pub(crate) fn ago(now: Time, time: Time) -> Markup {
    if time == Time::default() {
        return html! { "never" };
    }
    let text = distance(now.0.saturating_sub(time.0));
    html! { time.ago datetime=(time.machine()) title=(time) { (text) } }
}

/// Writes how long something will take, or nothing if it is over.
pub(crate) fn left(now: Time, time: Time) -> Option<String> {
    let seconds = time.0.checked_sub(now.0).filter(|&seconds| seconds > 0)?;
    Some(format!("{} left", length(seconds)))
}

fn distance(seconds: u64) -> String {
    if seconds < 5 { "just now".to_owned() } else { format!("{} ago", length(seconds)) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_one_unit() {
        assert_eq!(distance(0), "just now");
        assert_eq!([59, 61, 7_300, 200_000].map(length), ["59 s", "1 min", "2 h", "2 days"]);
        assert_eq!(ago(Time(1_795_701_900), Time(0)).into_string(), "never");
        assert_eq!(left(Time(10), Time(10)), None);
        assert_eq!(left(Time(10), Time(70)).as_deref(), Some("1 min left"));
    }
}
