//! The confinement of bots on this machine as a list of mechanisms, for `agon doctor`.

use crate::{Confinement, Mechanism, Report, confine::SUB_USER};

/// A mechanism, and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MechanismRow {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// If it holds, in a few words how; otherwise why not, and what helps.
    pub state: Result<String, String>,
}

impl MechanismRow {
    /// Returns what people call it.
    pub fn name(&self) -> &'static str {
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
pub struct Confined {
    /// The version of the kernel.
    pub kernel: String,
    /// All mechanisms; or why no bot can be confined.
    pub rows: Result<Vec<MechanismRow>, String>,
}

impl Confined {
    /// Takes the report apart.
    pub fn new(report: Report) -> Confined {
        let rows = report.confinement.map(|Confinement { active, missing }| {
            let active = active
                .into_iter()
                .map(|(mechanism, words)| MechanismRow { mechanism, state: Ok(words) });
            let missing = missing
                .into_iter()
                .map(|lack| MechanismRow { mechanism: lack.mechanism, state: Err(lack.why) });
            let mut rows: Vec<MechanismRow> = active.chain(missing).collect();
            rows.sort_by_key(|row| row.mechanism);
            rows
        });
        Confined { kernel: report.kernel, rows }
    }

    /// Returns whether `--sandbox default` plays.
    pub fn works(&self) -> bool {
        self.rows.is_ok()
    }

    /// Returns whether nothing is missing, so that `--sandbox strict` plays as well.
    pub fn is_complete(&self) -> bool {
        self.rows.as_ref().is_ok_and(|rows| rows.iter().all(|row| row.state.is_ok()))
    }

    /// Returns the names of what is missing.
    pub fn missing(&self) -> Vec<&'static str> {
        let missing = self.rows.iter().flatten().filter(|row| row.state.is_err());
        missing.map(MechanismRow::name).collect()
    }

    /// Returns the user that bots run as, if it is known.
    pub fn identity(&self) -> Option<&str> {
        let row = self.rows.iter().flatten().find(|row| row.mechanism == Mechanism::Identity)?;
        row.state.as_deref().ok()
    }

    /// Returns whether strict sandboxes and servers give bots users that belong to this one.
    pub fn has_sub_users(&self) -> bool {
        self.identity().is_some_and(|words| words.starts_with(SUB_USER))
    }

    /// Returns whether all bots get a user of their own, which must be able to read their files.
    pub fn has_own_user(&self) -> bool {
        self.identity().is_some_and(|words| words.starts_with("user "))
    }
}

#[cfg(test)]
mod tests {
    use crate::Missing;

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
