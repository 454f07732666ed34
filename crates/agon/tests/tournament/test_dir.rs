//! A folder with a plan, in which tournaments are played.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

pub(crate) use crate::support::root;
use crate::support::{self, until};

/// What a match left in the journal, apart from what differs from run to run: how long it took, and
/// how often it was void before.
pub(crate) type Results = BTreeMap<String, Value>;

pub(crate) struct TestDir(support::TestDir);

impl TestDir {
    pub(crate) fn new() -> TestDir {
        TestDir(support::TestDir::new())
    }

    pub(crate) fn with_plan(text: &str) -> TestDir {
        let dir = TestDir::new();
        dir.write("plan.toml", text);
        dir
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.0.write(name, text);
    }

    pub(crate) fn agon(&self, args: &[&str]) -> Command {
        let mut command = self.0.agon_with(&[&["tournament"], args].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.agon(args).output().unwrap()
    }

    /// Runs it to its end and gives what it said: the table, the talk.
    #[track_caller]
    pub(crate) fn succeed(&self, args: &[&str]) -> (String, String) {
        let output = self.run(args);
        let [table, talk] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{args:?}: {table}{talk}");
        (table, talk)
    }

    /// Runs it, which must not go, and gives the error.
    #[track_caller]
    pub(crate) fn fail(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let talk = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {talk}");
        talk
    }

    /// How many whole lines a journal has, the first one apart.
    pub(crate) fn records(&self, folder: &str) -> usize {
        let journal = fs::read(self.path(folder).join("journal.jsonl")).unwrap_or_default();
        journal.iter().filter(|byte| **byte == b'\n').count().saturating_sub(1)
    }

    /// What is in a journal, each match once.
    #[track_caller]
    pub(crate) fn results(&self, folder: &str) -> Results {
        let journal = fs::read_to_string(self.path(folder).join("journal.jsonl")).unwrap();
        let mut results = Results::new();
        for line in journal.lines().skip(1) {
            let mut record: Value = serde_json::from_str(line).unwrap();
            let fields = record.as_object_mut().unwrap();
            for differs in ["ms", "void", "sum"] {
                fields.remove(differs).unwrap();
            }
            // Whoever has played it.
            fields.remove("machine");
            let id = fields["match"].as_str().unwrap().to_owned();
            assert!(results.insert(id.clone(), record).is_none(), "{id} is there twice");
        }
        results
    }

    /// Whether a process has this file on its command line.
    pub(crate) fn is_running(&self, file: &str) -> bool {
        let found = Command::new("pgrep").arg("-f").arg(self.path(file)).output().unwrap();
        !found.stdout.is_empty()
    }

    /// Waits until a journal has so many records, or the run is over.
    pub(crate) fn wait_for(&self, folder: &str, records: usize, run: &mut Child) {
        until("a match", || self.records(folder) >= records || run.try_wait().unwrap().is_some());
    }
}

/// Ctrl-C.
pub(crate) fn interrupt(run: &Child) {
    signal(run, "INT");
}

pub(crate) fn signal(run: &Child, signal: &str) {
    let sent =
        Command::new("kill").args([&format!("-{signal}"), &run.id().to_string()]).status().unwrap();
    assert!(sent.success());
}
