//! Reads the measurements that the library criterion leaves below `target`.
//!
//! `cargo xtask bench` computes its figures from them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, de::DeserializeOwned};

use crate::run::root;

/// One benchmark's result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// The median time of an iteration, in nanoseconds.
    pub(crate) nanos: f64,
    /// Elements or bytes of an iteration; 1 if the benchmark reports none.
    pub(crate) amount: f64,
}

impl Sample {
    /// Returns elements or bytes per second.
    pub(crate) fn rate(self) -> f64 {
        self.amount / self.nanos * 1e9
    }
}

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
    throughput: Option<BTreeMap<String, f64>>,
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
}

/// Returns the folder with the results of benchmarks, those `without` AVX-512 apart.
pub(crate) fn home(without: bool) -> PathBuf {
    root().join(if without { "target/criterion-avx2" } else { "target/criterion" })
}

/// Returns the last result of each benchmark ever run here, by its name: `group/function`.
pub(crate) fn results(home: &Path) -> Result<BTreeMap<String, Sample>> {
    let mut results = BTreeMap::new();
    for group in folders(home)? {
        // A benchmark without a group uses the outer folder.
        for function in folders(&group)?.into_iter().chain([group]) {
            let newest = function.join("new");
            if !newest.join("benchmark.json").exists() {
                continue;
            }
            let benchmark: Benchmark = read(&newest.join("benchmark.json"))?;
            let estimates: Estimates = read(&newest.join("estimates.json"))?;
            let amount = benchmark
                .throughput
                .and_then(|amounts| amounts.into_values().next())
                .unwrap_or(1.0);
            results.insert(
                benchmark.full_id,
                Sample { nanos: estimates.median.point_estimate, amount },
            );
        }
    }
    Ok(results)
}

fn folders(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| path.is_dir()).collect())
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}
