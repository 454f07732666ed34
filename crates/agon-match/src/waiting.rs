//! Says which bots a match waits for, and when to say so again.
//!
//! Observers show it to people, who would take a long wait for a hang.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::bot::Wait;

/// Nobody takes a shorter wait for a hang.
const FIRST: Duration = Duration::from_secs(1);

/// The time between two reports about the same wait: a countdown shows each second.
const EVERY: Duration = Duration::from_millis(250);

/// The most bots that the text names.
const NAMED: usize = 3;

/// The bots that a step of a match waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// How long the step has waited so far.
    pub waited: Duration,
    /// The bots, in order of player number; never empty.
    pub bots: Vec<AwaitedBot>,
}

/// A bot whose answer has not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedBot {
    /// Its name.
    pub name: String,
    /// An estimate of the wall time until its time is over; `None` if there is none.
    ///
    /// A bot is charged CPU time. The estimate assumes that it uses the processor as it has done
    /// since the question.
    pub left: Option<Duration>,
}

/// As in `waiting for rosa: 8 s left`.
impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("waiting for ")?;
        for (number, AwaitedBot { name, left }) in self.bots.iter().take(NAMED).enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            match left {
                Some(left) => write!(f, "{separator}{name}: {} left", in_words(*left))?,
                None => write!(f, "{separator}{name}: {} so far", in_words(self.waited))?,
            }
        }
        match self.bots.len().saturating_sub(NAMED) {
            0 => Ok(()),
            1 => f.write_str("; and 1 more bot"),
            more => write!(f, "; and {more} more bots"),
        }
    }
}

/// Returns a time in seconds, or in minutes if it is long; rounded up.
fn in_words(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    match seconds {
        0..120 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

/// The times at which a step that waits reports who it waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReportTimes {
    began: Instant,
    next: Instant,
}

impl ReportTimes {
    /// Starts with the questions of a step.
    pub(crate) fn start() -> ReportTimes {
        let began = Instant::now();
        ReportTimes { began, next: began + FIRST }
    }

    /// Returns a wait until the next report.
    pub(crate) fn wait(&self) -> Wait {
        Wait::until(self.next)
    }

    /// Notes a report, and returns how long the step has waited so far.
    pub(crate) fn report(&mut self) -> Duration {
        let now = Instant::now();
        self.next = now + EVERY;
        now.saturating_duration_since(self.began)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bots: &[(&str, Option<u64>)]) -> String {
        let bot = |&(name, left): &(&str, Option<u64>)| AwaitedBot {
            name: name.to_owned(),
            left: left.map(Duration::from_millis),
        };
        let waited = Duration::from_millis(1010);
        Waiting { waited, bots: bots.iter().map(bot).collect() }.to_string()
    }

    #[test]
    fn the_text_names_bots_and_their_time() {
        assert_eq!(text(&[("rosa", Some(7400))]), "waiting for rosa: 8 s left");
        assert_eq!(text(&[("rosa", Some(0))]), "waiting for rosa: 0 s left");
        assert_eq!(text(&[("rosa", Some(120_000))]), "waiting for rosa: 2 min left");
        assert_eq!(text(&[("rosa", Some(u64::MAX))]), "waiting for rosa: 307445734561826 min left");
        let both = text(&[("rosa", Some(1)), ("tom", None)]);
        assert_eq!(both, "waiting for rosa: 1 s left; tom: 2 s so far");
    }

    #[test]
    fn many_bots_are_counted() {
        let four = text(&[("a", None); 4]);
        assert!(four.ends_with("; a: 2 s so far; and 1 more bot"), "{four}");
        let all = text(&[("a", None); 1_000]);
        assert!(all.ends_with("; and 997 more bots") && all.len() < 100, "{all}");
    }
}
