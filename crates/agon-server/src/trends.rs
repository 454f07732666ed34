//! The latest ratings of versions, for the small charts of the leaderboard.
//!
//! They are kept until the version plays again: a page shows a hundred of them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{
    ranking::Ranked,
    store::{Store, Stored},
};

/// Ratings of a trend.
const LONG: u32 = 40;

/// The most trends that are kept: some megabytes. Beyond, all are read anew.
const KEPT: usize = 20_000;

/// How many are read at a time.
const AT_A_TIME: usize = 8;

/// Ratings in the order of their matches.
pub(crate) type Trend = Arc<[f64]>;

/// Trends by version, each with the number of matches after which it was read.
#[derive(Debug, Default)]
pub(crate) struct Trends(Mutex<HashMap<i64, (u64, Trend)>>);

impl Trends {
    /// Returns the trends of rows, in their order.
    pub(crate) async fn of(&self, store: &Store, rows: &[&Ranked]) -> Stored<Vec<Trend>> {
        let mut trends = Vec::new();
        for row in rows {
            trends.push(self.one(store, row.version, row.matches));
        }
        stream::iter(trends).buffered(AT_A_TIME).try_collect().await
    }

    /// Returns the trend of a version that has played so many matches.
    pub(crate) async fn one(&self, store: &Store, version: i64, matches: u64) -> Stored<Trend> {
        if let Some((_, trend)) = self.kept().get(&version).filter(|(known, _)| *known == matches) {
            return Ok(Arc::clone(trend));
        }
        let trend: Trend = store.last_ratings(version, LONG).await?.into_iter().rev().collect();
        let mut kept = self.kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(version, (matches, Arc::clone(&trend)));
        Ok(trend)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<i64, (u64, Trend)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
