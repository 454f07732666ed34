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

    /// Returns an error if nothing keeps the bots of strangers from this user's files.
    ///
    /// # Errors
    /// If bots cannot be confined, or without mount namespaces and Landlock.
    pub fn check_files(&self) -> Result<(), String> {
        let rows = self.rows.as_ref();
        let rows = rows.map_err(|why| format!("no bot can be confined here: {why}"))?;
        let lack = |mechanism| {
            let row = rows.iter().find(|row| row.mechanism == mechanism)?;
            row.state.as_ref().err()
        };
        match (lack(Mechanism::Mounts), lack(Mechanism::Landlock)) {
            (Some(mounts), Some(landlock)) => Err(format!(
                "bots would read the keys and files of this user here, because the kernel offers \
                 neither mount namespaces nor Landlock ({mounts}; {landlock})"
            )),
            _ => Ok(()),
        }
    }

    /// Returns a sentence if strangers' bots share a user.
    pub fn shared_user(&self) -> Option<&'static str> {
        let is_shared = !self.has_own_user() && !self.has_sub_users();
        is_shared.then_some(
            "all bots run as the user of this program, so that one can use up what the kernel \
             allows that user; `agon doctor` says how each gets a user of its own",
        )
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

    fn without(mechanisms: &[Mechanism]) -> Confined {
        let lack = |&mechanism: &Mechanism| Missing { mechanism, why: "it is old".to_owned() };
        let missing = mechanisms.iter().map(lack).collect();
        let confinement = Ok(Confinement { missing, ..Confinement::default() });
        Confined::new(Report { kernel: "5.4".to_owned(), confinement })
    }

    #[test]
    fn a_machine_that_hides_no_files_takes_no_bots_of_strangers() {
        use Mechanism::{Landlock, Mounts, Network};
        for fine in [&[][..], &[Mounts, Network], &[Landlock, Network]] {
            without(fine).check_files().unwrap();
        }
        let error = without(&[Mounts, Landlock]).check_files().unwrap_err();
        assert!(error.contains("neither mount namespaces nor Landlock"), "{error}");
        let broken = Report { kernel: "5.4".to_owned(), confinement: Err("no room".to_owned()) };
        Confined::new(broken).check_files().unwrap_err();
        assert!(without(&[]).shared_user().unwrap().contains("agon doctor"));
    }

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
