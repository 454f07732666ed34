//! Times as organisers type them: local date and time, and how far their clocks are from UTC.

use agon_ladder_pages::model::{Time, ZonedTime};

/// Reads a local time such as `2026-11-26T15:05` with a zone such as `+01:00`, or `UTC`.
pub(super) fn parse(local: &str, zone: &str) -> Option<ZonedTime> {
    let offset = offset(zone)?;
    let (date, clock) = local.split_once(['T', ' '])?;
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, day) = (year.parse().ok()?, number(month, 1..=12)?, number(day, 1..=31)?);
    if parts.next().is_some() || !(1970..=9999).contains(&year) || day > days_of(year, month) {
        return None;
    }
    let mut parts = clock.split(':');
    let (hour, minute) = (number(parts.next()?, 0..=23)?, number(parts.next()?, 0..=59)?);
    let second = parts.next().map_or(Some(0), |second| number(second, 0..=59))?;
    let local = days_before(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    let at = u64::try_from(local - i64::from(offset) * 60).ok()?;
    Some(ZonedTime { at: Time(at), offset })
}

fn number(text: &str, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
    text.parse().ok().filter(|number| range.contains(number))
}

/// Returns how many minutes clocks of a zone are ahead of UTC.
fn offset(zone: &str) -> Option<i32> {
    let text = zone.strip_prefix("UTC").unwrap_or(zone);
    if matches!(text, "" | "Z") {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-" | "−", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let (hours, minutes) = (number(hours, 0..=14)?, number(minutes, 0..=59)?);
    i32::try_from(sign * (hours * 60 + minutes)).ok()
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days from the beginning of 1970 to a date.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let years: i64 = (1970..year).map(|year| 365 + i64::from(is_leap(year))).sum();
    let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
    years + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_show_can_be_typed() {
        for (local, zone) in [
            ("2026-11-26T15:05", "+01:00"),
            ("2000-02-29T23:59", "-09:30"),
            ("1970-01-01T00:00", "+00:00"),
            ("2100-03-01T12:00", "+05:45"),
        ] {
            let read = parse(local, zone).unwrap();
            assert_eq!((read.local().as_str(), read.zone().as_str()), (local, zone));
        }
        let at = |local, zone| parse(local, zone).unwrap().at;
        assert_eq!(at("2026-11-26T14:05", "UTC"), at("2026-11-26T15:05:00", "+1"));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for local in [
            "",
            "2026-02-30T10:00",
            "2026-13-01T10:00",
            "2026-01-01",
            "2026-01-01T24:00",
            "x-01-01T10:00",
            "2026-01-01-01T10:00",
            "1969-12-31T23:00",
            "99999-01-01T00:00",
        ] {
            assert_eq!(parse(local, "+00:00"), None, "{local}");
        }
        for zone in ["CET", "+25:00", "+1:70", "1", "+"] {
            assert_eq!(parse("2026-01-01T10:00", zone), None, "{zone}");
        }
    }
}
