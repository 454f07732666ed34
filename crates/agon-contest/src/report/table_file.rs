//! Writes the tables of a report as CSV, for other programs.

use std::{
    fmt,
    io::{self, Write},
    str::FromStr,
};

use agon_core::text::{EscapeWriter, csv_line};

use super::{Rating, Report, results::meeting};

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

impl FromStr for Csv {
    type Err = String;

    fn from_str(text: &str) -> Result<Csv, String> {
        let found = Csv::ALL.into_iter().find(|table| table.to_string() == text);
        found.ok_or_else(|| {
            format!(
                "there is no table `{text}`; there are: standing, head-to-head, matches, faults"
            )
        })
    }
}

const STANDING: &str = "place,bot,points,matches,wins,ties,losses,mean_place,elo,low,high,rank,\
                        rank_low,rank_high,group,footing,faults,reason,forfeits,disqualified";
const MATCHES: &str = "match,round,group,pairing,number,seed,seat,bot,place,score,faults,void,ms,\
                       replay,forfeit,points,fault,detail,key";

impl Report<'_> {
    /// Writes a table as CSV.
    pub fn csv(&self, table: Csv, out: &mut impl Write) -> io::Result<()> {
        let mut csv = EscapeWriter::new(out);
        match table {
            Csv::Standing => self.standing_csv(&mut csv)?,
            Csv::HeadToHead => self.head_to_head_csv(&mut csv)?,
            Csv::Matches => self.matches_csv(&mut csv)?,
            Csv::Faults => self.faults_csv(&mut csv)?,
        }
        csv.flush()
    }

    fn standing_csv(&self, out: &mut impl Write) -> io::Result<()> {
        row(out, STANDING.split(','))?;
        for place in &self.standing {
            let rating = Some(self.rating(place)).filter(|rating| rating.is_rated());
            let of = |text: fn(&Rating<'_>) -> String| rating.map(text).unwrap_or_default();
            row(
                out,
                [
                    place.place.to_string(),
                    place.bot.to_owned(),
                    place.points.to_string(),
                    place.matches.to_string(),
                    place.wins.to_string(),
                    place.ties.to_string(),
                    place.losses.to_string(),
                    place.mean_place.map(|mean| mean.to_string()).unwrap_or_default(),
                    of(|rating| rating.elo.to_string()),
                    of(|rating| rating.low.to_string()),
                    of(|rating| rating.high.to_string()),
                    of(|rating| rating.rank.to_string()),
                    of(|rating| rating.rank_low.to_string()),
                    of(|rating| rating.rank_high.to_string()),
                    of(|rating| rating.group.to_string()),
                    of(|rating| json(&rating.footing)),
                    place.faults.to_string(),
                    place.reason.clone(),
                    place.forfeits.to_string(),
                    place.disqualified.to_string(),
                ],
            )?;
        }
        Ok(())
    }

    /// Writes each pair from both sides, so that one filter finds all opponents of a bot.
    fn head_to_head_csv(&self, out: &mut impl Write) -> io::Result<()> {
        row(out, ["bot", "opponent", "wins", "ties", "losses", "score", "confidence"])?;
        let mut pairs: Vec<_> =
            self.meetings.pairs.iter().flat_map(|&pair| [pair, pair.reversed()]).collect();
        pairs.sort_by_key(|pair| (pair.one, pair.other));
        for pair in pairs {
            let pair = meeting(pair, &self.names);
            row(
                out,
                [
                    pair.bot.to_owned(),
                    pair.opponent.to_owned(),
                    pair.wins.to_string(),
                    pair.ties.to_string(),
                    pair.losses.to_string(),
                    json(&pair.score),
                    json(&pair.confidence),
                ],
            )?;
        }
        Ok(())
    }

    fn matches_csv(&self, out: &mut impl Write) -> io::Result<()> {
        row(out, MATCHES.split(','))?;
        for line in &self.matches {
            let pairing = line.id.pairing;
            let half_points: Vec<u32> = line.record.outcome().half_points().collect();
            for (seat, bot) in line.seats.iter().enumerate() {
                let first = line.record.faults.get(seat).and_then(|faults| faults.first());
                row(
                    out,
                    [
                        line.id.to_string(),
                        pairing.round.to_string(),
                        pairing.group.to_string(),
                        pairing.pairing.to_string(),
                        line.id.number.to_string(),
                        line.seed.to_string(),
                        (seat + 1).to_string(),
                        (*bot).to_owned(),
                        line.places[seat].to_string(),
                        line.scores[seat].to_string(),
                        line.faults[seat].to_string(),
                        line.void.to_string(),
                        line.ms.to_string(),
                        json(&line.replay),
                        line.forfeits.contains(&seat).to_string(),
                        (f64::from(half_points[seat]) / 2.0).to_string(),
                        json(&first.map(|fault| fault.kind)),
                        first.map(|fault| fault.text.clone()).unwrap_or_default(),
                        line.record.key.clone(),
                    ],
                )?;
            }
        }
        Ok(())
    }

    fn faults_csv(&self, out: &mut impl Write) -> io::Result<()> {
        row(out, ["bot", "kind", "count", "matches", "match", "text", "step", "stderr"])?;
        for line in &self.faults {
            row(
                out,
                [
                    line.bot.to_owned(),
                    json(&line.kind),
                    line.count.to_string(),
                    line.matches.to_string(),
                    json(&line.examples.first()),
                    line.text.to_owned(),
                    json(&line.steps.first().copied().flatten()),
                    line.stderr.to_owned(),
                ],
            )?;
        }
        Ok(())
    }
}

/// Writes a line of the table.
fn row<S: AsRef<str>>(out: &mut impl Write, fields: impl IntoIterator<Item = S>) -> io::Result<()> {
    out.write_all(csv_line(fields).as_bytes())
}

/// Returns a value as JSON has it, without quotes; nothing for what is not there.
fn json(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(serde_json::Value::Null) => String::new(),
        Ok(other) => other.to_string(),
        Err(error) => unreachable!("a cell of a table is JSON: {error}"),
    }
}
