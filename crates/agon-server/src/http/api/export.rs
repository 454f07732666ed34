//! Exports: all matches or a table, as a stream that needs little memory.

use std::{fs::File, io::Read, sync::Arc};

use agon_ladder::api::{ExportedMatch, LeaderboardRow, ProblemCode, TableKind};
use axum::{
    body::{Body, Bytes},
    http::header,
    response::IntoResponse,
};
use futures_util::{Stream, stream};
use schemars::JsonSchema;
use serde::Deserialize;
use tempfile::NamedTempFile;
use tokio::{runtime::Handle, sync::OwnedSemaphorePermit, task::spawn_blocking};

use super::{
    call::{ArenaPath, Call},
    export_rows::{
        MATCH_COLUMNS, TABLE_COLUMNS, add_matches, exported, match_lines, matches_database,
        table_database, table_line,
    },
    reply::{Media, Streamed},
    tables,
};
use crate::{
    app::App,
    arena_handle::ArenaHandle,
    http::{
        reply::{Shown, coded},
        views,
    },
    store::{Stored, to_json},
};

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

/// An export.
#[derive(Debug)]
pub(super) struct Exported;

impl Media for Exported {
    const TYPES: &'static [&'static str] =
        &["text/csv", "application/jsonl", "application/vnd.sqlite3"];
}

pub(super) async fn export(call: Call<ArenaPath, ExportQuery>) -> Shown<Streamed<Exported>> {
    let Call { app, caller, path, query, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let permit = Arc::clone(&app.api().exports).try_acquire_owned().map_err(|_| {
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
            let rows = tables::rows(&board, table, &caller.visitor);
            leaderboard(&app, rows, query.format).await?
        }
    };
    let what = match query.what {
        What::Matches => "matches",
        What::Leaderboard => "leaderboard",
    };
    let name = format!("attachment; filename=\"{}-{what}.{end}\"", arena.get().slug);
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, &name)];
    Ok(Streamed::new((headers, body).into_response()))
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
    let write: fn(&ExportedMatch) -> String = match format {
        Format::Csv => match_lines,
        Format::Jsonl => |of| to_json(of) + "\n",
        Format::Sqlite => {
            let folder = pieces.app.site.data.join("work");
            let runtime = Handle::current();
            let work = spawn_blocking(move || -> anyhow::Result<File> {
                let file = NamedTempFile::new_in(folder)?;
                let mut database = matches_database(file.path())?;
                loop {
                    let matches = runtime.block_on(pieces.next())?;
                    if matches.is_empty() {
                        break;
                    }
                    add_matches(&mut database, &matches)?;
                }
                drop(database);
                Ok(file.reopen()?)
            });
            let file = work.await.map_err(anyhow::Error::from)??;
            return Ok(Body::from_stream(file_stream(file, Some(permit))));
        }
    };
    let head = match format {
        Format::Csv => MATCH_COLUMNS,
        Format::Jsonl | Format::Sqlite => "",
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
    match format {
        Format::Csv => {
            let lines: String = rows.iter().map(table_line).collect();
            Ok(Body::from(format!("{TABLE_COLUMNS}{lines}")))
        }
        Format::Jsonl => {
            let lines: String = rows.iter().map(|row| to_json(row) + "\n").collect();
            Ok(Body::from(lines))
        }
        Format::Sqlite => {
            let folder = app.site.data.join("work");
            let work = spawn_blocking(move || -> anyhow::Result<File> {
                let file = NamedTempFile::new_in(folder)?;
                table_database(file.path(), &rows)?;
                Ok(file.reopen()?)
            });
            let file = work.await.map_err(anyhow::Error::from)??;
            Ok(Body::from_stream(file_stream(file, None)))
        }
    }
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
