//! The confinement of bots on this machine.

use agon_sandbox::{Confinement, Mechanism, Report};

/// A mechanism, and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) mechanism: Mechanism,
    /// If it holds, in a few words how; otherwise why not, and what helps.
    pub(super) state: Result<String, String>,
}

impl Row {
    /// What people call it.
    pub(super) fn name(&self) -> &'static str {
        match self.mechanism {
            Mechanism::Mounts => "files",
            Mechanism::Processes => "processes",
            Mechanism::Network => "network",
            Mechanism::Landlock => "Landlock",
            Mechanism::Seccomp => "system calls",
            Mechanism::Identity => "identity",
            Mechanism::Limits => "limits",
            Mechanism::ProcessLimit => "process limit",
        }
    }
}

/// How a bot is confined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Confined {
    /// The version of the kernel.
    pub(super) kernel: String,
    /// All mechanisms; or why no bot can be confined.
    pub(super) rows: Result<Vec<Row>, String>,
}

impl Confined {
    pub(super) fn new(report: Report) -> Confined {
        let rows = report.confinement.map(|Confinement { active, missing }| {
            let active =
                active.into_iter().map(|(mechanism, words)| Row { mechanism, state: Ok(words) });
            let missing = missing
                .into_iter()
                .map(|lack| Row { mechanism: lack.mechanism, state: Err(lack.why) });
            let mut rows: Vec<Row> = active.chain(missing).collect();
            rows.sort_by_key(|row| row.mechanism);
            rows
        });
        Confined { kernel: report.kernel, rows }
    }

    /// Whether `--sandbox default` plays.
    pub(super) fn works(&self) -> bool {
        self.rows.is_ok()
    }

    /// Whether nothing is missing, so that `--sandbox strict` plays as well.
    pub(super) fn is_complete(&self) -> bool {
        self.rows.as_ref().is_ok_and(|rows| rows.iter().all(|row| row.state.is_ok()))
    }

    /// The names of what is missing.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let missing = self.rows.iter().flatten().filter(|row| row.state.is_err());
        missing.map(Row::name).collect()
    }

    /// As whom bots run, as far as that is known.
    pub(super) fn identity(&self) -> Option<&str> {
        let row = self.rows.iter().flatten().find(|row| row.mechanism == Mechanism::Identity)?;
        row.state.as_deref().ok()
    }

    /// Whether bots get a user of their own, which must be able to read their files.
    pub(super) fn has_own_user(&self) -> bool {
        self.identity().is_some_and(|words| words.starts_with("user "))
    }
}

#[cfg(test)]
mod tests {
    use agon_sandbox::Missing;

    use super::*;

    #[test]
    fn what_is_missing_is_named_in_order() {
        let missing = |mechanism, why: &str| Missing { mechanism, why: why.into() };
        let confinement = Confinement {
            active: vec![(Mechanism::Identity, "user 60600".into())],
            missing: vec![
                missing(Mechanism::ProcessLimit, "counted"),
                missing(Mechanism::Mounts, "none; do this"),
            ],
        };
        let confined = Confined::new(Report { kernel: "6.1".into(), confinement: Ok(confinement) });
        assert_eq!(confined.missing(), ["files", "process limit"]);
        assert!(confined.works() && !confined.is_complete() && confined.has_own_user());
        let confined =
            Confined::new(Report { kernel: "6.1".into(), confinement: Err("no".into()) });
        assert!(!confined.works() && !confined.is_complete() && confined.missing().is_empty());
    }
}
