//! Rows of exports, as CSV, JSON Lines and SQLite.

use std::path::Path;

use agon_core::text::csv_line;
use agon_ladder::api::{ExportedMatch, ExportedSeat, LeaderboardRow, MatchState, Time};
use rusqlite::{Connection, params};

use crate::{
    board::Board,
    http::{parts::time::time, views},
    store::matches::SeatedMatch,
};

/// The columns of matches in CSV: a line for each seat.
pub(super) const MATCH_COLUMNS: &str = "match,state,planned,played,ms,turns,seed,seat,bot,version,\
    author,place,faults,cpu_us,decisions,rating\n";

/// The columns of a table in CSV.
pub(super) const TABLE_COLUMNS: &str = "rank,best_rank,worst_rank,bot,name,version,author,elo,low,\
    high,matches,wins,ties,losses,faults,language,owed\n";

/// The tables of an export of matches to SQLite.
const MATCHES: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE matches (number INTEGER PRIMARY KEY, state TEXT NOT NULL, planned TEXT NOT NULL,
        played TEXT, ms INTEGER, turns INTEGER, seed TEXT NOT NULL);
    CREATE TABLE seats (number INTEGER NOT NULL REFERENCES matches, seat INTEGER NOT NULL,
        bot TEXT, version INTEGER, author TEXT, place INTEGER, faults INTEGER NOT NULL,
        cpu_us INTEGER, decisions INTEGER, rating REAL, PRIMARY KEY (number, seat));";

/// The table of an export of a leaderboard to SQLite.
const LEADERBOARD: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE leaderboard (rank INTEGER, best_rank INTEGER, worst_rank INTEGER,
        bot TEXT NOT NULL, name TEXT NOT NULL, version INTEGER, author TEXT, elo REAL, low REAL,
        high REAL, matches INTEGER NOT NULL, wins INTEGER NOT NULL,
        ties INTEGER NOT NULL, losses INTEGER NOT NULL, faults INTEGER NOT NULL,
        language TEXT NOT NULL, owed INTEGER NOT NULL);";

/// Returns a match for exports.
pub(super) fn exported(board: &Board, seated: &SeatedMatch) -> ExportedMatch {
    let summary = views::match_summary(board, seated);
    let of = &seated.of;
    let seats = seated.seats.iter().map(|seat| {
        let bot = views::played(board, seat.version);
        ExportedSeat {
            bot: bot.as_ref().map(|bot| bot.slug.clone()),
            version: bot.as_ref().and_then(|bot| bot.version),
            author: bot.and_then(|bot| bot.author),
            place: seat.place,
            faults: seat.faults,
            cpu_us: seat.cpu_us,
            decisions: seat.decisions,
            rating: seat.rating,
        }
    });
    ExportedMatch {
        number: of.number,
        state: summary.state,
        planned: time(of.planned),
        played: of.played.map(time),
        ms: of.ms,
        turns: of.turns,
        seed: of.seed.to_string(),
        seats: seats.collect(),
    }
}

/// Writes the state of a match as JSON has it.
fn state(state: MatchState) -> &'static str {
    match state {
        MatchState::Played => "played",
        MatchState::Running => "running",
        MatchState::Void => "void",
        MatchState::Annulled => "annulled",
    }
}

fn number<T: ToString>(number: Option<T>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn text(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

/// Writes a match as lines of CSV.
pub(super) fn match_lines(of: &ExportedMatch) -> String {
    let mut lines = String::new();
    for (place, seat) in of.seats.iter().enumerate() {
        let fields = [
            of.number.to_string(),
            state(of.state).to_owned(),
            of.planned.machine(),
            of.played.map(Time::machine).unwrap_or_default(),
            number(of.ms),
            number(of.turns),
            of.seed.clone(),
            place.to_string(),
            text(seat.bot.as_deref()),
            number(seat.version),
            text(seat.author.as_deref()),
            number(seat.place),
            seat.faults.to_string(),
            number(seat.cpu_us),
            number(seat.decisions),
            number(seat.rating),
        ];
        lines.push_str(&csv_line(fields));
    }
    lines
}

/// Writes a row of a table as a line of CSV.
pub(super) fn table_line(row: &LeaderboardRow) -> String {
    let fields = [
        number(row.rank),
        number(row.ranks.map(|ranks| ranks.best)),
        number(row.ranks.map(|ranks| ranks.worst)),
        row.bot.slug.clone(),
        row.bot.name.clone(),
        number(row.bot.version),
        text(row.bot.author.as_deref()),
        number(row.rating.map(|rating| rating.elo)),
        number(row.rating.and_then(|rating| rating.low)),
        number(row.rating.and_then(|rating| rating.high)),
        row.matches.to_string(),
        row.tally.wins.to_string(),
        row.tally.ties.to_string(),
        row.tally.losses.to_string(),
        row.faults.to_string(),
        row.language.clone(),
        row.owed.to_string(),
    ];
    csv_line(fields)
}

/// A number as SQLite takes it.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Makes an empty database of matches.
pub(super) fn matches_database(path: &Path) -> anyhow::Result<Connection> {
    let database = Connection::open(path)?;
    database.execute_batch(MATCHES)?;
    Ok(database)
}

/// Adds matches to a database.
pub(super) fn add_matches(
    database: &mut Connection,
    matches: &[ExportedMatch],
) -> anyhow::Result<()> {
    let transaction = database.transaction()?;
    for of in matches {
        transaction.prepare_cached("INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?)")?.execute(
            params![
                int(of.number),
                state(of.state),
                of.planned.machine(),
                of.played.map(Time::machine),
                of.ms.map(int),
                of.turns.map(int),
                of.seed
            ],
        )?;
        for (place, seat) in of.seats.iter().enumerate() {
            let sql = "INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
            transaction.prepare_cached(sql)?.execute(params![
                int(of.number),
                int(place as u64),
                seat.bot,
                seat.version,
                seat.author,
                seat.place,
                int(seat.faults),
                seat.cpu_us.map(int),
                seat.decisions.map(int),
                seat.rating
            ])?;
        }
    }
    Ok(transaction.commit()?)
}

/// Makes a database of a table.
pub(super) fn table_database(path: &Path, rows: &[LeaderboardRow]) -> anyhow::Result<()> {
    let mut database = Connection::open(path)?;
    database.execute_batch(LEADERBOARD)?;
    let transaction = database.transaction()?;
    for row in rows {
        let sql = "INSERT INTO leaderboard
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        transaction.prepare_cached(sql)?.execute(params![
            row.rank.map(int),
            row.ranks.map(|ranks| int(ranks.best)),
            row.ranks.map(|ranks| int(ranks.worst)),
            row.bot.slug,
            row.bot.name,
            row.bot.version,
            row.bot.author,
            row.rating.map(|rating| rating.elo),
            row.rating.and_then(|rating| rating.low),
            row.rating.and_then(|rating| rating.high),
            int(row.matches),
            int(row.tally.wins),
            int(row.tally.ties),
            int(row.tally.losses),
            int(row.faults),
            row.language,
            int(row.owed)
        ])?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_field_for_each_column() {
        let seats = vec![ExportedSeat::default(); 2];
        let lines = match_lines(&ExportedMatch { seats, ..ExportedMatch::default() });
        let fields = |line: &str| line.split(',').count();
        assert_eq!(lines.lines().map(fields).collect::<Vec<_>>(), [fields(MATCH_COLUMNS); 2]);
        let line = table_line(&LeaderboardRow::default());
        assert_eq!(fields(&line), fields(TABLE_COLUMNS));
    }

    #[test]
    fn bots_may_share_a_rank() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.sqlite");
        let row = LeaderboardRow { rank: Some(1), ..LeaderboardRow::default() };
        table_database(&path, &[row.clone(), row]).expect("a table");
        let database = Connection::open(&path).expect("a database");
        let count = "SELECT count(*) FROM leaderboard WHERE rank = 1";
        let bots: i64 = database.query_row(count, [], |row| row.get(0)).expect("a count");
        assert_eq!(bots, 2);
    }
}
