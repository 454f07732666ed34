//! Exports: all matches or a table, as a stream that needs little memory.

use std::{fs::File, io::Read, sync::Arc};

use agon_core::text::csv_line;
use agon_ladder::api::{ExportedMatch, ExportedSeat, LeaderboardRow, TableKind, Time};
use axum::body::{Body, Bytes};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use rusqlite::{Connection, params_from_iter, types::Value};
use serde::Serialize;
use tempfile::NamedTempFile;
use tokio::{runtime::Handle, sync::OwnedSemaphorePermit, task::spawn_blocking};

use super::{arenas, call::Streamed, prelude::*};
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
    let Call { app, visitor, path, query: ExportQuery { what, format }, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let permit = Arc::clone(&app.api.exports).try_acquire_owned().map_err(|_| {
        let advice = "Wait until one of the others is over.";
        failure(RateLimited, "There are too many exports at once", advice).retry_after(10)
    })?;
    let (kind, end) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
        Format::Jsonl => ("application/jsonl", "jsonl"),
        Format::Sqlite => ("application/vnd.sqlite3", "sqlite"),
    };
    let (what, body) = match what {
        What::Matches => {
            let last = app.store.last_match(arena.id()).await?;
            let pieces = matches(app.clone(), arena.clone(), last);
            ("matches", written(&app, format, pieces, permit).await?)
        }
        What::Leaderboard => {
            let board = arena.board();
            let table = match board.published {
                Some(_) => TableKind::Published,
                None => TableKind::Live,
            };
            let pieces = stream::iter([Ok(arenas::rows(&board, table, &visitor))]);
            ("leaderboard", written(&app, format, pieces, permit).await?)
        }
    };
    Ok(Streamed(attachment(kind, &format!("{}-{what}.{end}", arena.get().slug), body)))
}

/// Returns all matches of an arena up to the last one, in pieces.
fn matches(
    app: App,
    arena: ArenaHandle,
    last: u64,
) -> impl Stream<Item = Stored<Vec<ExportedMatch>>> + Send + 'static {
    stream::try_unfold(0, move |after| {
        let app = app.clone();
        let arena = arena.clone();
        async move {
            let matches = app.store.matches_after(arena.id(), after, last, PIECE).await?;
            let Some(newest) = matches.last().map(|seated| seated.of.number) else {
                return Stored::Ok(None);
            };
            let board = arena.board();
            let piece: Vec<ExportedMatch> =
                matches.iter().map(|seated| exported(&board, seated)).collect();
            Ok(Some((piece, newest)))
        }
    })
}

/// Writes pieces of what is exported.
async fn written<T: Item>(
    app: &App,
    format: Format,
    pieces: impl Stream<Item = Stored<Vec<T>>> + Send + 'static,
    permit: OwnedSemaphorePermit,
) -> Shown<Body> {
    let mut pieces = Box::pin(pieces);
    let (head, lines): (_, fn(&T) -> String) = match format {
        Format::Csv => (T::COLUMNS, T::lines),
        Format::Jsonl => ("", |of| to_json(of) + "\n"),
        Format::Sqlite => {
            let runtime = Handle::current();
            let fill = move |database: &mut Connection| -> anyhow::Result<()> {
                while let Some(piece) = runtime.block_on(pieces.next()) {
                    let transaction = database.transaction()?;
                    for of in piece? {
                        of.insert(&transaction)?;
                    }
                    transaction.commit()?;
                }
                Ok(())
            };
            let file = sqlite(app, T::TABLES, fill).await?;
            return Ok(Body::from_stream(file_stream(file, permit)));
        }
    };
    let head = stream::once(async move { Stored::Ok(Bytes::from(head)) });
    let rest = pieces.map_ok(move |piece| {
        // Others get the place when all is sent.
        let _ = &permit;
        Bytes::from(piece.iter().map(lines).collect::<String>())
    });
    Ok(Body::from_stream(head.chain(rest)))
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
    permit: OwnedSemaphorePermit,
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

/// What can be exported.
trait Item: Serialize + Send + 'static {
    /// The columns in CSV.
    const COLUMNS: &'static str;

    /// The tables in SQLite.
    const TABLES: &'static str;

    /// Writes it as lines of CSV.
    fn lines(&self) -> String;

    /// Adds it to the tables of a database.
    fn insert(&self, database: &Connection) -> rusqlite::Result<()>;
}

impl Item for ExportedMatch {
    /// A line for each seat.
    const COLUMNS: &'static str = "match,state,planned,played,ms,turns,seed,seat,bot,version,\
        author,place,faults,cpu_us,decisions,rating\n";

    const TABLES: &'static str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        CREATE TABLE matches (number INTEGER PRIMARY KEY, state TEXT NOT NULL,
            planned TEXT NOT NULL, played TEXT, ms INTEGER, turns INTEGER, seed TEXT NOT NULL);
        CREATE TABLE seats (number INTEGER NOT NULL REFERENCES matches, seat INTEGER NOT NULL,
            bot TEXT, version INTEGER, author TEXT, place INTEGER, faults INTEGER NOT NULL,
            cpu_us INTEGER, decisions INTEGER, rating REAL, PRIMARY KEY (number, seat));";

    fn lines(&self) -> String {
        let seats = self.seats.iter().enumerate();
        seats.map(|seat| csv([match_cells(self), seat_cells(seat)].concat())).collect()
    }

    fn insert(&self, database: &Connection) -> rusqlite::Result<()> {
        insert(database, "matches", match_cells(self))?;
        for seat in self.seats.iter().enumerate() {
            let number = vec![int(self.number).into()];
            insert(database, "seats", [number, seat_cells(seat)].concat())?;
        }
        Ok(())
    }
}

impl Item for LeaderboardRow {
    const COLUMNS: &'static str = "rank,best_rank,worst_rank,bot,name,version,author,elo,low,\
        high,matches,wins,ties,losses,faults,language,owed\n";

    const TABLES: &'static str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        CREATE TABLE leaderboard (rank INTEGER, best_rank INTEGER, worst_rank INTEGER,
            bot TEXT NOT NULL, name TEXT NOT NULL, version INTEGER, author TEXT, elo REAL,
            low REAL, high REAL, matches INTEGER NOT NULL, wins INTEGER NOT NULL,
            ties INTEGER NOT NULL, losses INTEGER NOT NULL, faults INTEGER NOT NULL,
            language TEXT NOT NULL, owed INTEGER NOT NULL);";

    fn lines(&self) -> String {
        csv(row_cells(self))
    }

    fn insert(&self, database: &Connection) -> rusqlite::Result<()> {
        insert(database, "leaderboard", row_cells(self))
    }
}

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
    vec![
        int(of.number).into(),
        // As JSON has it.
        to_json(&of.state).replace('"', "").into(),
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

/// Adds a row to a table of a database.
fn insert(database: &Connection, table: &str, cells: Vec<Value>) -> rusqlite::Result<()> {
    let places = vec!["?"; cells.len()].join(", ");
    let mut insert = database.prepare_cached(&format!("INSERT INTO {table} VALUES ({places})"))?;
    insert.execute(params_from_iter(cells)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_field_for_each_column() {
        let seats = vec![ExportedSeat::default(); 2];
        let lines = ExportedMatch { seats, ..ExportedMatch::default() }.lines();
        let fields = |line: &str| line.split(',').count();
        assert_eq!(
            lines.lines().map(fields).collect::<Vec<_>>(),
            [fields(ExportedMatch::COLUMNS); 2]
        );
        let line = LeaderboardRow::default().lines();
        assert_eq!(fields(&line), fields(LeaderboardRow::COLUMNS));
    }

    #[test]
    fn bots_may_share_a_rank() {
        let database = Connection::open_in_memory().expect("a database");
        database.execute_batch(LeaderboardRow::TABLES).expect("a table");
        let row = LeaderboardRow { rank: Some(1), ..LeaderboardRow::default() };
        (0..2).for_each(|_| row.insert(&database).expect("a row"));
        let count = "SELECT count(*) FROM leaderboard WHERE rank = 1";
        let bots: i64 = database.query_row(count, [], |row| row.get(0)).expect("a count");
        assert_eq!(bots, 2);
    }
}
