//! The speed of a playback, in turns per second.
//!
//! The keys `[` and `]` and two buttons of the bar change it.

use std::fmt;

/// Turns per second. It is a power of two, so that doubling and halving give the same speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Speed(i8);

impl Speed {
    /// A turn in four seconds.
    pub const SLOWEST: Speed = Speed(-2);
    /// As many turns as fit between two pictures.
    pub const FASTEST: Speed = Speed(13);
    /// One turn per second.
    pub const ONE: Speed = Speed(0);

    /// Returns the speed at which a match of this many turns takes about a minute.
    ///
    /// It takes between 42 and 85 seconds. Short matches are shown at a turn per second, very long
    /// ones at the fastest speed that has a number.
    pub fn of_match(turns: u64) -> Speed {
        // The power of two nearest to turns / 60, by ratio: log2(turns * sqrt(2) / 60).
        let squared = u128::from(turns).pow(2) / 1800;
        let power = squared.max(1).ilog2() / 2;
        Speed(power.min(12) as i8)
    }

    /// Returns turns per second; infinity at the fastest speed.
    pub fn per_second(self) -> f64 {
        if self == Speed::FASTEST { f64::INFINITY } else { f64::from(self.0).exp2() }
    }

    /// Returns twice the speed, if possible.
    #[must_use]
    pub fn faster(self) -> Speed {
        Speed(self.0 + 1).min(Speed::FASTEST)
    }

    /// Returns half the speed, if possible.
    #[must_use]
    pub fn slower(self) -> Speed {
        Speed(self.0 - 1).max(Speed::SLOWEST)
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Speed::FASTEST => f.write_str("max"),
            Speed(power @ 0..) => write!(f, "{}/s", 1u32 << power),
            Speed(power) => write!(f, "1/{}s", 1u32 << -power),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_double_between_their_ends() {
        let mut speed = Speed::SLOWEST.slower();
        let mut shown = vec![];
        loop {
            shown.push(speed.to_string());
            assert_eq!(speed.faster().slower(), speed.min(Speed::FASTEST.slower()));
            if speed == Speed::FASTEST {
                break;
            }
            speed = speed.faster();
        }
        assert_eq!(shown[..4], ["1/4s", "1/2s", "1/s", "2/s"]);
        assert_eq!(shown[14..], ["4096/s", "max"]);
        assert_eq!(
            (Speed::SLOWEST.per_second(), Speed::FASTEST.per_second()),
            (0.25, f64::INFINITY)
        );
    }

    #[test]
    fn matches_take_about_a_minute() {
        let speed = |turns| Speed::of_match(turns).per_second();
        assert_eq!(
            (speed(0), speed(60), speed(500), speed(1_000), speed(u64::MAX)),
            (1.0, 1.0, 8.0, 16.0, 4096.0)
        );
        for turns in (60..4096 * 42).step_by(7) {
            let seconds = turns as f64 / speed(turns);
            assert!((42.0..=85.0).contains(&seconds), "{turns}: {seconds}");
        }
    }
}
