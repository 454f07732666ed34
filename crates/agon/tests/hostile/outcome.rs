//! The outcome of a run of the arena.

use std::{fs, path::Path, process::ExitStatus};

use serde_json::Value;

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The exit code; `None` if a signal ended the arena.
    pub(crate) code: Option<i32>,
    /// The faults of the result, if there is one.
    pub(crate) faults: Vec<Value>,
    /// stdout and stderr.
    pub(crate) everything: String,
    /// The most processes that were seen at a time, the arena's included.
    pub(crate) most: usize,
}

impl Outcome {
    pub(crate) fn new(status: ExitStatus, out: &Path, err: &Path, most: usize) -> Outcome {
        let text = |path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let (out, err) = (text(out), text(err));
        let result: Option<Value> =
            out.lines().last().and_then(|line| serde_json::from_str(line).ok());
        let faults = result.and_then(|result| result["data"]["faults"].as_array().cloned());
        let everything = format!("{out}\n{err}");
        Outcome { code: status.code(), faults: faults.unwrap_or_default(), everything, most }
    }

    /// The arena has ended in order, with a fault of the first bot alone.
    #[track_caller]
    pub(crate) fn fault(&self) -> &Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert!(self.faults.iter().all(|fault| fault["player"] == 0), "{self:?}");
        self.faults.first().unwrap_or_else(|| panic!("there is no fault: {self:?}"))
    }

    /// The same, and the fault is of this kind and says this.
    #[track_caller]
    pub(crate) fn expect(&self, kind: &str, detail: &str) {
        let fault = self.fault();
        let said = fault["detail"].as_str().unwrap();
        assert!(fault["kind"] == kind && said.contains(detail), "{kind} {detail}: {self:?}");
    }

    /// What worked of all that the bot tried; it came to its end.
    #[track_caller]
    pub(crate) fn harm(&self) -> Vec<String> {
        self.harm_in(self.fault())
    }

    /// The same for the bot of a fault.
    #[track_caller]
    pub(crate) fn harm_in(&self, fault: &Value) -> Vec<String> {
        let talk = fault["evidence"]["stderr_tail"].as_str().unwrap_or_default();
        assert!(
            talk.ends_with("done\n") || talk.ends_with("done"),
            "the bot broke down: {self:#?}"
        );
        let list = talk.lines().rev().find_map(|line| line.strip_prefix("harm: ")).unwrap();
        serde_json::from_str(list).unwrap()
    }

    /// Nothing worked.
    #[track_caller]
    pub(crate) fn assert_harmless(&self) {
        let harm = self.harm();
        assert!(harm.is_empty(), "this worked: {harm:#?}\n{self:?}");
    }
}
