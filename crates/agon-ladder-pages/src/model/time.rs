//! Times as people read them, without a calendar library and without a clock.

use std::fmt;

/// A time: seconds since 1970-01-01 00:00 UTC, without leap seconds.
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

/// The last second that pages print: the end of the year 9999.
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

impl Time {
    /// Returns the form for `<time datetime>`: `2026-11-26T14:05:00Z`.
    pub fn machine(self) -> String {
        let seconds = self.0.min(LAST);
        let (year, month, day) = date(seconds / 86_400);
        let (hour, minute) = (seconds / 3_600 % 24, seconds / 60 % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", seconds % 60)
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
        assert_eq!(Time(951_782_400).machine(), "2000-02-29T00:00:00Z");
        assert_eq!(Time(1_795_701_900).to_string(), "2026-11-26 14:05 UTC");
        assert_eq!(Time(u64::MAX).to_string(), "9999-12-31 23:59 UTC");
        assert_eq!(Time(1_795_701_900).day(), "2026-11-26");
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
