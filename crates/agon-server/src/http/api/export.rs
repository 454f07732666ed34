//! Exports: all matches or a table, as a stream that needs little memory.

use std::{fs::File, io::Read, sync::Arc};

use agon_core::text::csv_line;
use agon_ladder::api::{ExportedMatch, ExportedSeat, LeaderboardRow, MatchState, TableKind, Time};
use axum::body::{Body, Bytes};
use futures_util::{Stream, stream};
use rusqlite::{Connection, params_from_iter, types::Value};
use tempfile::NamedTempFile;
use tokio::{runtime::Handle, sync::OwnedSemaphorePermit, task::spawn_blocking};

use super::{arenas, prelude::*, reply::Streamed};
use crate::store::{Stored, to_json};

/// Matches that are read at a time.
const PIECE: u32 = 500;

/// Bytes of a file that are sent at a time.
const BYTES: usize = 1 << 18;

/// What is exported.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum What {
    /// All matches that are over, in order.
    #[default]
    Matches,
    /// The published table, or the live one if nothing is published yet.
    Leaderboard,
}

/// How it is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// Comma-separated values; a match has a line for each seat.
    #[default]
    Csv,
    /// JSON Lines.
    Jsonl,
    /// An SQLite database.
    Sqlite,
}

/// What is exported, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportQuery {
    /// What is exported.
    #[serde(default)]
    what: What,
    /// How it is written.
    #[serde(default)]
    format: Format,
}

pub(super) async fn export(call: Call<ArenaPath, ExportQuery>) -> Shown<Streamed> {
    let Call { app, caller, path, query, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let permit = Arc::clone(&app.api.exports).try_acquire_owned().map_err(|_| {
        let advice = "Wait until one of the others is over.";
        coded(ProblemCode::RateLimited, "There are too many exports at once", advice)
            .retry_after(10)
    })?;
    let (kind, end) = match query.format {
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
        Format::Jsonl => ("application/jsonl", "jsonl"),
        Format::Sqlite => ("application/vnd.sqlite3", "sqlite"),
    };
    let body = match query.what {
        What::Matches => {
            let last = app.store.last_match(arena.id()).await?;
            let pieces = Pieces { app: app.clone(), arena: arena.clone(), after: 0, last };
            matches(pieces, query.format, permit).await?
        }
        What::Leaderboard => {
            let board = arena.board();
            let table = match board.published {
                Some(_) => TableKind::Published,
                None => TableKind::Live,
            };
            let rows = arenas::rows(&board, table, &caller.visitor);
            leaderboard(&app, rows, query.format).await?
        }
    };
    let what = match query.what {
        What::Matches => "matches",
        What::Leaderboard => "leaderboard",
    };
    let name = format!("attachment; filename=\"{}-{what}.{end}\"", arena.get().slug);
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, &name)];
    Ok(Streamed((headers, body).into_response()))
}

/// Pieces of an arena's matches, up to the last one at the beginning.
struct Pieces {
    app: App,
    arena: ArenaHandle,
    after: u64,
    last: u64,
}

impl Pieces {
    /// Returns the next matches; none at the end.
    async fn next(&mut self) -> Stored<Vec<ExportedMatch>> {
        let (id, after, last) = (self.arena.id(), self.after, self.last);
        let matches = self.app.store.matches_after(id, after, last, PIECE).await?;
        let board = self.arena.board();
        self.after = matches.last().map_or(last, |seated| seated.of.number);
        Ok(matches.iter().map(|seated| exported(&board, seated)).collect())
    }
}

async fn matches(mut pieces: Pieces, format: Format, permit: OwnedSemaphorePermit) -> Shown<Body> {
    let (head, write): (_, fn(&ExportedMatch) -> String) = match format {
        Format::Csv => (MATCH_COLUMNS, match_lines),
        Format::Jsonl => ("", |of| to_json(of) + "\n"),
        Format::Sqlite => {
            let app = pieces.app.clone();
            let runtime = Handle::current();
            let fill = move |database: &mut Connection| -> anyhow::Result<()> {
                loop {
                    let matches = runtime.block_on(pieces.next())?;
                    if matches.is_empty() {
                        return Ok(());
                    }
                    add_matches(database, &matches)?;
                }
            };
            let file = sqlite(&app, MATCHES, fill).await?;
            return Ok(Body::from_stream(file_stream(file, Some(permit))));
        }
    };
    let begin = (pieces, Some(head), permit);
    let stream = stream::try_unfold(begin, move |(mut pieces, head, permit)| async move {
        let matches = pieces.next().await?;
        if matches.is_empty() && head.is_none() {
            return Stored::Ok(None);
        }
        let mut text = head.unwrap_or_default().to_owned();
        matches.iter().for_each(|of| text.push_str(&write(of)));
        Ok(Some((Bytes::from(text), (pieces, None, permit))))
    });
    Ok(Body::from_stream(stream))
}

async fn leaderboard(app: &App, rows: Vec<LeaderboardRow>, format: Format) -> Shown<Body> {
    Ok(match format {
        Format::Csv => {
            let lines: String = rows.iter().map(|row| csv(row_cells(row))).collect();
            Body::from(format!("{TABLE_COLUMNS}{lines}"))
        }
        Format::Jsonl => {
            let lines: String = rows.iter().map(|row| to_json(row) + "\n").collect();
            Body::from(lines)
        }
        Format::Sqlite => {
            let fill = move |database: &mut Connection| add_rows(database, &rows);
            Body::from_stream(file_stream(sqlite(app, LEADERBOARD, fill).await?, None))
        }
    })
}

/// Makes a database in a file that has no name any more.
async fn sqlite(
    app: &App,
    tables: &'static str,
    fill: impl FnOnce(&mut Connection) -> anyhow::Result<()> + Send + 'static,
) -> Shown<File> {
    let folder = app.site.data.join("work");
    let work = blocking(move || -> anyhow::Result<File> {
        let file = NamedTempFile::new_in(folder)?;
        let mut database = Connection::open(file.path())?;
        database.execute_batch(tables)?;
        fill(&mut database)?;
        drop(database);
        Ok(file.reopen()?)
    });
    Ok(work.await??)
}

/// Sends a file that has no name any more, piece by piece.
fn file_stream(
    file: File,
    permit: Option<OwnedSemaphorePermit>,
) -> impl Stream<Item = std::io::Result<Bytes>> {
    stream::try_unfold((file, permit), |(mut file, permit)| async move {
        let read = spawn_blocking(move || {
            let mut bytes = Vec::with_capacity(BYTES);
            (&mut file).take(BYTES as u64).read_to_end(&mut bytes)?;
            std::io::Result::Ok((bytes, file))
        });
        let (bytes, file) = read.await.map_err(std::io::Error::other)??;
        if bytes.is_empty() {
            return Ok(None);
        }
        Ok(Some((Bytes::from(bytes), (file, permit))))
    })
}

/// The columns of matches in CSV: a line for each seat.
const MATCH_COLUMNS: &str = "match,state,planned,played,ms,turns,seed,seat,bot,version,\
    author,place,faults,cpu_us,decisions,rating\n";

/// The columns of a table in CSV.
const TABLE_COLUMNS: &str = "rank,best_rank,worst_rank,bot,name,version,author,elo,low,\
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
fn exported(board: &Board, seated: &SeatedMatch) -> ExportedMatch {
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

/// Returns a match without its seats, as the columns of its table.
fn match_cells(of: &ExportedMatch) -> Vec<Value> {
    // As JSON has it.
    let state = match of.state {
        MatchState::Played => "played",
        MatchState::Running => "running",
        MatchState::Void => "void",
        MatchState::Annulled => "annulled",
    };
    vec![
        int(of.number).into(),
        state.to_owned().into(),
        of.planned.machine().into(),
        of.played.map(Time::machine).into(),
        of.ms.map(int).into(),
        of.turns.map(int).into(),
        of.seed.clone().into(),
    ]
}

/// Returns a seat of a match, as the columns of its table after the number of the match.
fn seat_cells((place, seat): (usize, &ExportedSeat)) -> Vec<Value> {
    vec![
        int(place as u64).into(),
        seat.bot.clone().into(),
        seat.version.into(),
        seat.author.clone().into(),
        seat.place.into(),
        int(seat.faults).into(),
        seat.cpu_us.map(int).into(),
        seat.decisions.map(int).into(),
        seat.rating.into(),
    ]
}

/// Returns a row of a leaderboard, as the columns of its table.
fn row_cells(row: &LeaderboardRow) -> Vec<Value> {
    vec![
        row.rank.map(int).into(),
        row.ranks.map(|ranks| int(ranks.best)).into(),
        row.ranks.map(|ranks| int(ranks.worst)).into(),
        row.bot.slug.clone().into(),
        row.bot.name.clone().into(),
        row.bot.version.into(),
        row.bot.author.clone().into(),
        row.rating.map(|rating| rating.elo).into(),
        row.rating.and_then(|rating| rating.low).into(),
        row.rating.and_then(|rating| rating.high).into(),
        int(row.matches).into(),
        int(row.tally.wins).into(),
        int(row.tally.ties).into(),
        int(row.tally.losses).into(),
        int(row.faults).into(),
        row.language.clone().into(),
        int(row.owed).into(),
    ]
}

/// A number as SQLite takes it.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Writes a line of CSV.
fn csv(cells: Vec<Value>) -> String {
    csv_line(cells.into_iter().map(|cell| match cell {
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Null | Value::Blob(_) => String::new(),
    }))
}

/// Writes a match as lines of CSV.
fn match_lines(of: &ExportedMatch) -> String {
    let seats = of.seats.iter().enumerate();
    seats.map(|seat| csv([match_cells(of), seat_cells(seat)].concat())).collect()
}

/// Adds a row to a table of a database.
fn insert(database: &Connection, table: &str, cells: Vec<Value>) -> rusqlite::Result<()> {
    let places = vec!["?"; cells.len()].join(", ");
    let mut insert = database.prepare_cached(&format!("INSERT INTO {table} VALUES ({places})"))?;
    insert.execute(params_from_iter(cells)).map(drop)
}

/// Adds matches to a database.
fn add_matches(database: &mut Connection, matches: &[ExportedMatch]) -> anyhow::Result<()> {
    let transaction = database.transaction()?;
    for of in matches {
        insert(&transaction, "matches", match_cells(of))?;
        for seat in of.seats.iter().enumerate() {
            let number = vec![int(of.number).into()];
            insert(&transaction, "seats", [number, seat_cells(seat)].concat())?;
        }
    }
    Ok(transaction.commit()?)
}

/// Adds rows of a leaderboard to a database.
fn add_rows(database: &mut Connection, rows: &[LeaderboardRow]) -> anyhow::Result<()> {
    let transaction = database.transaction()?;
    for row in rows {
        insert(&transaction, "leaderboard", row_cells(row))?;
    }
    Ok(transaction.commit()?)
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
        let line = csv(row_cells(&LeaderboardRow::default()));
        assert_eq!(fields(&line), fields(TABLE_COLUMNS));
    }

    #[test]
    fn bots_may_share_a_rank() {
        let mut database = Connection::open_in_memory().expect("a database");
        database.execute_batch(LEADERBOARD).expect("a table");
        let row = LeaderboardRow { rank: Some(1), ..LeaderboardRow::default() };
        add_rows(&mut database, &[row.clone(), row]).expect("two rows");
        let count = "SELECT count(*) FROM leaderboard WHERE rank = 1";
        let bots: i64 = database.query_row(count, [], |row| row.get(0)).expect("a count");
        assert_eq!(bots, 2);
    }
}
