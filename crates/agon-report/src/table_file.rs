//! Writes the tables of a report as CSV, for other programs.

use std::{
    fmt,
    io::{self, Write},
    str::FromStr,
};

use agon_text::EscapeWriter;
use csv::Writer;
use thiserror::Error;

use crate::Report;

/// A table in CSV: RFC 4180 with a line of names, UTF-8, and decimal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Csv {
    /// A line for each bot: place, points, rating.
    Standing,
    /// A line for each bot and opponent.
    HeadToHead,
    /// A line for each match and seat.
    Matches,
    /// A line for each bot and kind of fault.
    Faults,
}

impl Csv {
    /// All tables.
    pub const ALL: [Csv; 4] = [Csv::Standing, Csv::HeadToHead, Csv::Matches, Csv::Faults];
}

impl fmt::Display for Csv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Csv::Standing => "standing",
            Csv::HeadToHead => "head-to-head",
            Csv::Matches => "matches",
            Csv::Faults => "faults",
        })
    }
}

/// A text that names no table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no table `{0}`; there are: standing, head-to-head, matches, faults")]
pub struct UnknownCsv(String);

impl FromStr for Csv {
    type Err = UnknownCsv;

    fn from_str(text: &str) -> Result<Csv, UnknownCsv> {
        let found = Csv::ALL.into_iter().find(|table| table.to_string() == text);
        found.ok_or_else(|| UnknownCsv(text.to_owned()))
    }
}

impl Report<'_> {
    /// Writes a table as CSV.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn csv(&self, table: Csv, out: &mut impl Write) -> io::Result<()> {
        let mut csv = Writer::from_writer(EscapeWriter::new(out));
        match table {
            Csv::Standing => self.standing_csv(&mut csv)?,
            Csv::HeadToHead => self.head_to_head_csv(&mut csv)?,
            Csv::Matches => self.matches_csv(&mut csv)?,
            Csv::Faults => self.faults_csv(&mut csv)?,
        }
        csv.flush()
    }

    fn standing_csv(&self, csv: &mut Writer<impl Write>) -> csv::Result<()> {
        csv.write_record([
            "place",
            "bot",
            "points",
            "matches",
            "wins",
            "ties",
            "losses",
            "mean_place",
            "elo",
            "low",
            "high",
            "rank",
            "rank_low",
            "rank_high",
            "group",
            "footing",
            "faults",
            "reason",
            "forfeits",
            "disqualified",
        ])?;
        for place in &self.standing {
            let rating = Some(self.rating(place)).filter(|rating| rating.is_rated());
            let of =
                |text: &dyn Fn(&crate::Rating<'_>) -> String| rating.map(text).unwrap_or_default();
            csv.write_record([
                place.place.to_string(),
                place.bot.to_owned(),
                place.points.to_string(),
                place.matches.to_string(),
                place.wins.to_string(),
                place.ties.to_string(),
                place.losses.to_string(),
                place.mean_place.map(|mean| mean.to_string()).unwrap_or_default(),
                of(&|rating| rating.elo.to_string()),
                of(&|rating| rating.low.to_string()),
                of(&|rating| rating.high.to_string()),
                of(&|rating| rating.rank.to_string()),
                of(&|rating| rating.rank_low.to_string()),
                of(&|rating| rating.rank_high.to_string()),
                of(&|rating| rating.group.to_string()),
                of(&|rating| word(&rating.footing)),
                place.faults.to_string(),
                place.reason.clone(),
                place.forfeits.to_string(),
                place.disqualified.to_string(),
            ])?;
        }
        Ok(())
    }

    /// Writes each pair from both sides, so that one filter finds all opponents of a bot.
    fn head_to_head_csv(&self, csv: &mut Writer<impl Write>) -> csv::Result<()> {
        csv.write_record(["bot", "opponent", "wins", "ties", "losses", "score", "confidence"])?;
        let mut pairs: Vec<_> =
            self.meetings.pairs.iter().flat_map(|&pair| [pair, pair.reversed()]).collect();
        pairs.sort_by_key(|pair| (pair.one, pair.other));
        for pair in pairs {
            let pair = crate::meeting::meeting(pair, &self.names);
            csv.serialize((
                pair.bot,
                pair.opponent,
                pair.wins,
                pair.ties,
                pair.losses,
                pair.score,
                pair.confidence,
            ))?;
        }
        Ok(())
    }

    fn matches_csv(&self, csv: &mut Writer<impl Write>) -> csv::Result<()> {
        csv.write_record([
            "match", "round", "group", "pairing", "number", "seed", "seat", "bot", "place",
            "score", "faults", "void", "ms", "replay", "forfeit",
        ])?;
        for line in &self.matches {
            let pairing = line.id.pairing;
            for (seat, bot) in line.seats.iter().enumerate() {
                csv.serialize((
                    line.id,
                    (pairing.round, pairing.group, pairing.pairing, line.id.number),
                    line.seed,
                    seat + 1,
                    bot,
                    (line.places[seat], line.scores[seat], line.faults[seat]),
                    (line.void, line.ms, line.replay),
                    line.forfeits.contains(&seat),
                ))?;
            }
        }
        Ok(())
    }

    fn faults_csv(&self, csv: &mut Writer<impl Write>) -> csv::Result<()> {
        csv.write_record(["bot", "kind", "count", "matches", "match", "text", "step", "stderr"])?;
        for line in &self.faults {
            csv.serialize((
                line.bot,
                line.kind,
                line.count,
                line.matches,
                line.examples.first(),
                line.text,
                line.steps.first().copied().flatten(),
                line.stderr,
            ))?;
        }
        Ok(())
    }
}

/// Returns the word of an enumeration in JSON.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("{other:?} is a word"),
    }
}
