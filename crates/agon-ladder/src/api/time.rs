//! Times: texts of RFC 3339 in JSON, and as people read them. No clock.

use std::time::{Duration, UNIX_EPOCH};
use std::{borrow::Cow, fmt, str::FromStr};

use humantime::{format_rfc3339_seconds, parse_rfc3339_weak};
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

impl Time {
    /// Returns the form for JSON and for `<time datetime>`: `2026-11-26T14:05:00Z`.
    pub fn machine(self) -> String {
        let since = Duration::from_secs(self.0.min(LAST));
        format_rfc3339_seconds(UNIX_EPOCH + since).to_string()
    }

    /// Returns date and time of day without a zone: `2026-11-26 14:05`.
    fn clock(self) -> String {
        self.machine()[..16].replace('T', " ")
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
        let plain = text.strip_suffix('Z').unwrap_or(text);
        let plain = if plain.len() == 16 { format!("{plain}:00") } else { plain.to_owned() };
        // Neither parts of seconds nor leap seconds.
        if plain.len() != 19 || plain.ends_with(":60") {
            return Err(());
        }
        let at = parse_rfc3339_weak(&plain).map_err(drop)?;
        Ok(Time(at.duration_since(UNIX_EPOCH).map_err(drop)?.as_secs()))
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
        let texts = " 2026-02-30T10:00 2026-13-01T10:00 2026-01-01 2026-01-01T24:00 x-01-01T10:00 \
            2026-01-01-01T10:00 1969-12-31T23:00 99999-01-01T00:00 2026-01-01T10:00:60Z \
            2026-01-01T10:00:00.5Z 2026-01-01T10:00+01:00 2026-01-01T10:00:00+00:00 \
            2026-01-01T10:00ZZ 2026-01-01T10:00x";
        for text in texts.split(' ') {
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
