//! Draws of finals, and the nonces that authors add to them.

use agon_ladder::ledger::{Draw, Inputs};
use agon_match::spec::Digest;

use super::{Store, Stored, to_json};
use crate::database::{Statement, json_column, statement};

/// The draw of a final.
#[derive(Clone, Debug)]
pub(crate) struct FinalDraw {
    /// The server's secret, as hexadecimal digits.
    pub(crate) secret: String,
    /// What the seed is made of, once the versions are fixed.
    pub(crate) draw: Option<Draw>,
    /// The arena in which the final is played.
    pub(crate) played_in: Option<i64>,
    /// Its versions, in order of the inputs.
    pub(crate) versions: Vec<i64>,
}

json_column!(Inputs, Vec<String>);

/// Returns the statement that keeps the secret of a final.
pub(crate) fn promise(arena: i64, secret: &str) -> Statement {
    let sql = "INSERT INTO finals (arena, secret) VALUES ($1, $2)";
    statement(sql, (arena, secret)).once()
}

/// Returns the statement that fixes what the seed is made of.
pub(crate) fn close(arena: i64, inputs: &Inputs) -> Statement {
    let sql = "UPDATE finals SET inputs = $2 WHERE arena = $1 AND inputs IS NULL";
    statement(sql, (arena, inputs.text())).once()
}

/// Returns the statement that keeps the hashes so far.
pub(crate) fn keep_links(arena: i64, links: &[String]) -> Statement {
    let sql = "UPDATE finals SET links = $2 WHERE arena = $1";
    statement(sql, (arena, to_json(&links))).once()
}

/// Returns the statement that notes where the final is played.
pub(crate) fn drawn(arena: i64, played_in: i64, versions: &[i64]) -> Statement {
    let sql = "UPDATE finals SET played_in = $2, versions = $3
        WHERE arena = $1 AND played_in IS NULL";
    statement(sql, (arena, played_in, to_json(&versions))).once()
}

/// Returns the statement that keeps the digest of a version's nonce.
pub(crate) fn pledge_nonce(version: i64, pledge: Digest) -> Statement {
    let sql = "INSERT INTO nonces (version, pledge) VALUES ($1, $2)";
    statement(sql, (version, pledge)).once()
}

/// Returns the statement that keeps a nonce. It fails if it was revealed before.
pub(crate) fn reveal_nonce(version: i64, nonce: &str) -> Statement {
    let sql = "UPDATE nonces SET nonce = $2 WHERE version = $1 AND nonce IS NULL";
    statement(sql, (version, nonce)).once()
}

impl Store {
    /// Returns the draw of an arena's final.
    pub(crate) async fn final_draw(&self, arena: i64) -> Stored<Option<FinalDraw>> {
        let sql = "SELECT secret, inputs, links, played_in, versions FROM finals WHERE arena = $1";
        let Some((secret, inputs, links, played_in, versions)) = self.first(sql, (arena,)).await?
        else {
            return Ok(None);
        };
        let draw = |inputs| Draw { inputs, links };
        let (draw, versions) = (Option::map(inputs, draw), Option::unwrap_or_default(versions));
        Ok(Some(FinalDraw { secret, draw, played_in, versions }))
    }

    /// Returns the digest of a version's nonce, and the nonce once it is revealed.
    pub(crate) async fn nonce(&self, version: i64) -> Stored<Option<(Digest, Option<String>)>> {
        let sql = "SELECT pledge, nonce FROM nonces WHERE version = $1";
        self.first(sql, (version,)).await
    }

    /// Returns the matches of an arena that could not be played, in order of the log.
    pub(crate) async fn given_up(&self, arena: i64) -> Stored<Vec<u64>> {
        let sql = "SELECT number FROM matches WHERE arena = $1 AND state = 'given_up'
            ORDER BY logged, number";
        self.all(sql, (arena,)).await
    }
}
