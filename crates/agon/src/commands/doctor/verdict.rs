//! The verdict of `agon doctor`.

use super::{findings::Findings, parts::PartState};
use crate::output::listed;

/// One sentence for each thing that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Whether the sandbox is complete and bots can be written in some language.
    pub(super) fine: bool,
    pub(super) text: String,
}

impl Verdict {
    pub(super) fn of(findings: &Findings) -> Verdict {
        let Findings { confined, parts, languages, machine } = findings;
        let absent: Vec<&str> = languages
            .iter()
            .filter(|language| !language.is_ready())
            .map(|language| language.name.as_str())
            .collect();
        let fine = confined.is_complete()
            && machine.cache.problem.is_none()
            && absent.len() < languages.len();
        let mut text = if confined.is_complete() {
            if fine { "All is fine: the sandbox is complete" } else { "The sandbox is complete" }
                .to_owned()
        } else if confined.works() {
            format!(
                "The sandbox lacks {}: bots are confined less well, and not played with `--sandbox \
                 strict`",
                listed(&confined.missing())
            )
        } else {
            "Bots cannot be confined here: they are only played with `--sandbox off`, which lets \
             them do whatever you may"
                .to_owned()
        };
        text.push_str("; ");
        text.push_str(&match absent.as_slice() {
            [] => "bots can be written in all languages".to_owned(),
            _ if absent.len() == languages.len() => {
                "nothing that bots are usually written in is installed".to_owned()
            }
            absent => format!("bots can be written in all languages but {}", listed(absent)),
        });
        let missing = parts.iter().filter(|part| matches!(part.state, PartState::Missing(_)));
        let missing: Vec<&str> = missing.map(|part| part.program).collect();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "is" } else { "are" };
            text.push_str(&format!("; {} {verb} missing", listed(&missing)));
        }
        if machine.cache.problem.is_some() {
            text.push_str("; nothing can be compiled, as the cache cannot be written to");
        }
        text.push('.');
        Verdict { fine, text }
    }
}
