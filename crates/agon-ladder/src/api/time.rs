//! Times: texts of RFC 3339 in JSON, and as people read them. No calendar library, and no clock.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A time: seconds since 1970-01-01 00:00 UTC, without leap seconds. In JSON it is a text such as
/// `2026-11-26T14:05:00Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u64);

/// A time together with the offset in which its organiser thinks of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZonedTime {
    /// The time.
    pub at: Time,
    /// Minutes that local clocks are ahead of UTC, from -1440 to 1440.
    pub offset: i32,
}

/// The last second that can be written: the end of the year 9999.
const LAST: u64 = 253_402_300_799;

/// Returns year, month and day of a number of days since 1970-01-01.
///
/// Howard Hinnant's `civil_from_days`, <https://howardhinnant.github.io/date_algorithms.html>.
fn date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// Returns the number of days from 1970-01-01 to a date; `None` if there is no such date.
///
/// The same author's `days_from_civil`.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let shifted = year - u64::from(month <= 2);
    let (era, year_of_era) = (shifted / 400, shifted % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    // Not all months have 31 days.
    (date(days) == (year, month, day)).then_some(days)
}

impl Time {
    /// Returns the form for JSON and for `<time datetime>`: `2026-11-26T14:05:00Z`.
    pub fn machine(self) -> String {
        format!("{}:{:02}Z", self.clock().replace(' ', "T"), self.0.min(LAST) % 60)
    }

    /// Returns date and time of day without a zone: `2026-11-26 14:05`.
    fn clock(self) -> String {
        let seconds = self.0.min(LAST);
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute) = (seconds / 3_600 % 24, seconds / 60 % 60);
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }

    /// Returns the date alone: `2026-11-26`.
    pub fn day(self) -> String {
        self.clock()[..10].to_owned()
    }
}

impl FromStr for Time {
    type Err = ();

    /// Reads date and time of day in UTC: `2026-11-26T14:05`, with or without seconds and `Z`.
    fn from_str(text: &str) -> Result<Time, ()> {
        let numbers = |text: &str, between: char| -> Result<Vec<u64>, ()> {
            text.split(between).map(|part| part.parse().map_err(drop)).collect()
        };
        let (date, clock) =
            text.strip_suffix('Z').unwrap_or(text).split_once(['T', ' ']).ok_or(())?;
        let &[year, month, day] = numbers(date, '-')?.as_slice() else { return Err(()) };
        let (hour, minute, second) = match numbers(clock, ':')?[..] {
            [hour, minute] => (hour, minute, 0),
            [hour, minute, second] => (hour, minute, second),
            _ => return Err(()),
        };
        if hour > 23 || minute > 59 || second > 59 {
            return Err(());
        }
        let days = days(year, month, day).ok_or(())?;
        Ok(Time(days * 86_400 + hour * 3_600 + minute * 60 + second))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.machine())
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(|()| de::Error::custom("a time is not one of RFC 3339 in UTC"))
    }
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl fmt::Display for Time {
    /// Writes `2026-11-26 14:05 UTC`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} UTC", self.clock())
    }
}

impl ZonedTime {
    /// Returns the local time as the value of `<input type=datetime-local>`: `2026-11-26T15:05`.
    pub fn local(self) -> String {
        self.shifted().clock().replacen(' ', "T", 1)
    }

    /// Returns the offset as text: `+01:00`.
    pub fn zone(self) -> String {
        let minutes = self.offset.unsigned_abs();
        let sign = if self.offset < 0 { '-' } else { '+' };
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }

    fn shifted(self) -> Time {
        Time(self.at.0.min(LAST).saturating_add_signed(i64::from(self.offset) * 60))
    }
}

impl fmt::Display for ZonedTime {
    /// Writes `2026-11-26 14:05 UTC`, or `2026-11-26 15:05 UTC+01:00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.offset == 0 {
            return self.at.fmt(f);
        }
        write!(f, "{} UTC{}", self.shifted().clock(), self.zone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(Time(0).to_string(), "1970-01-01 00:00 UTC");
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (4_107_542_401, "2100-03-01T00:00:01Z"),
            (LAST, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Time(seconds).machine(), text);
            assert_eq!(text.parse(), Ok(Time(seconds)));
        }
        assert_eq!(Time(1_795_701_900).to_string(), "2026-11-26 14:05 UTC");
        assert_eq!(Time(u64::MAX).to_string(), "9999-12-31 23:59 UTC");
        assert_eq!(Time(1_795_701_900).day(), "2026-11-26");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
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
            assert_eq!(text.parse::<Time>(), Err(()), "{text}");
        }
    }

    #[test]
    fn offsets_shift_what_is_shown() {
        let at = Time(1_795_701_900);
        assert_eq!(ZonedTime { at, offset: 60 }.to_string(), "2026-11-26 15:05 UTC+01:00");
        assert_eq!(ZonedTime { at, offset: -570 }.to_string(), "2026-11-26 04:35 UTC-09:30");
        assert_eq!(ZonedTime { at, offset: 0 }.to_string(), "2026-11-26 14:05 UTC");
        assert_eq!(ZonedTime { at, offset: 60 }.local(), "2026-11-26T15:05");
        let _ = ZonedTime { at: Time(u64::MAX), offset: i32::MAX }.to_string();
        let _ = ZonedTime { at: Time(0), offset: i32::MIN }.to_string();
    }
}
