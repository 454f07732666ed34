//! The examinations `Topic::Opens`, `Starts` and `FirstAnswer`: 1 to 3 in the output of `agon
//! check`.
//!
//! The bot can be loaded, keeps running after its start, and gives its first answer in time.

use std::path::PathBuf;

use agon_bots::{BotKind, BotSpec, FolderError, OpenError};
use agon_core::{Evidence, FaultKind};
use serde_json::json;

use super::{
    examination::{Examination, Topic, match_count},
    matches::ExaminedBot,
    missing,
    time::{Limits, micros, ms},
};

/// Examines whether the bot is there and can be loaded. If so, it sees these folders and files.
pub(super) fn opens(spec: &BotSpec, opened: Result<&[PathBuf], &OpenError>) -> Examination {
    let kind = kind_in_words(spec.kind());
    match opened {
        Ok([]) => Examination::passed(Topic::Opens, kind),
        Ok(sees) => {
            let sees: Vec<_> = sees.iter().map(|path| path.display().to_string()).collect();
            let found = format!("{kind}; this bot sees: {}", sees.join(", "));
            Examination::passed(Topic::Opens, found)
        }
        Err(error) => Examination::failed(Topic::Opens, error.to_string(), remedy(error)),
    }
}

fn kind_in_words(kind: BotKind) -> &'static str {
    match kind {
        BotKind::Builtin => "a built-in bot",
        BotKind::C => "C source, compiled and loaded",
        BotKind::Library => "a shared library, loaded",
        BotKind::Wasm => "WebAssembly, loaded",
        BotKind::Clojure => "Clojure, loaded",
        BotKind::Program => "a program that can be executed",
        BotKind::Json => "a program that can be executed, asked by the JSON Lines protocol",
        BotKind::Connect => "an address of a running program",
        BotKind::Human => "a person",
    }
}

/// Returns what to do about an error.
fn remedy(error: &OpenError) -> &'static str {
    match error {
        OpenError::Missing { .. } | OpenError::OnPath { .. } | OpenError::NotAFile { .. } => {
            "name the bot's file by its path, or quote the whole command line"
        }
        OpenError::FolderAsFile { .. } => "name the folder alone",
        OpenError::NoProgram { .. } => "install the program, or give its path",
        OpenError::NoInterpreter { .. } => "name the program that runs it in front of the file",
        OpenError::Folder(FolderError::Run { .. }) | OpenError::NoScript { .. } => {
            "correct the command line (`run` in agon.toml), or put the file that it names among \
             the bot's files"
        }
        OpenError::NotExecutable { .. } => {
            "make it executable, or name the interpreter in front of it"
        }
        OpenError::Compile { .. } => "repair what the compiler complains about",
        OpenError::Load { .. } => {
            "see what the loader says; `agon rules GAME` tells which functions are wanted"
        }
        OpenError::UnknownBuiltin { .. } | OpenError::Param { .. } => {
            "`agon bots GAME` lists the built-in bots"
        }
        OpenError::Kind { .. } => "`agon rules GAME` tells which bots the game takes",
        _ => "make the file readable",
    }
}

/// Examines whether the bot still runs a moment after its start.
pub(super) fn starts(seen: &ExaminedBot) -> Examination {
    let topic = Topic::Starts;
    let trial = &seen.trial;
    let remedy = "start it by hand to see why; a bot has to wait for its first question";
    if let Some(fault) = trial.faults.first() {
        let found = fault.detail.clone();
        return Examination {
            seen: fault.evidence.clone(),
            ..Examination::failed(topic, found, remedy)
        };
    }
    if let Some(exit) = trial.usage.and_then(|usage| usage.ended) {
        let shutdown = trial.shutdown.clone().unwrap_or_default();
        let seen = Evidence {
            exit_status: exit.status,
            signal: exit.signal,
            stderr_tail: shutdown.stderr_tail,
            last_output: trial.unsolicited.clone().unwrap_or_default(),
            ..Evidence::default()
        };
        let missing = missing::remedy(&seen.stderr_tail);
        let remedy = missing.as_deref().or(trial.hint.as_deref()).unwrap_or(remedy);
        let failed = Examination::failed(topic, "it ended before it was asked anything", remedy);
        return Examination { seen, ..failed };
    }
    let cases = seen.cases(topic);
    if !cases.is_empty() {
        return Examination::failed(topic, "it could not be started for a match", remedy)
            .with_cases(cases);
    }
    match trial.usage {
        None => Examination::not_applicable(topic, "it has no process of its own"),
        // A running process has memory.
        Some(usage) if usage.peak_memory.is_none() => {
            Examination::not_applicable(topic, "it is started anew for each question")
        }
        Some(_) => Examination::passed(topic, "it still runs half a second later"),
    }
}

/// Examines whether, and how soon, the first answer of a match comes.
pub(super) fn first_answer(seen: &ExaminedBot) -> Examination {
    let topic = Topic::FirstAnswer;
    let cases = seen.cases(topic);
    if !cases.is_empty() {
        let found = format!("no first answer in {}", match_count(cases.len()));
        let missing = missing::remedy(&cases[0].fault.evidence.stderr_tail);
        let remedy = match cases[0].fault.kind {
            FaultKind::Crash if let Some(missing) = &missing => missing.as_str(),
            FaultKind::Crash => "repair what ended it; what it wrote to stderr before is below",
            _ => {
                "read the whole question, answer at once, and flush the output (Python: print(..., \
                 flush=True))"
            }
        };
        return Examination::failed(topic, found, remedy).with_cases(cases);
    }
    let first = seen.matches.first().map(|played| &played.record);
    let Some((record, think)) = first.and_then(|record| Some((record, record.turns.first()?)))
    else {
        return Examination::not_reached(topic, seen.blocked_by(topic).unwrap_or(Topic::Starts));
    };
    if seen.matches[0].faults().any(|fault| fault.step == think.step)
        && let Some(blocker) = seen.blocked_by(topic)
    {
        return Examination::not_reached(topic, blocker);
    }
    let Some(cpu) = record.first_cpu else {
        return Examination::not_applicable(
            topic,
            "it has no process whose time could be measured",
        );
    };
    let limits = record.batch_limits.map(Limits);
    let limit = limits.map(|limits| limits.first(think.decisions));
    let limit_text =
        limit.map_or_else(String::new, |limit| format!("; the limit is {}", ms(limit)));
    let cpu_text = ms(cpu);
    let wall_text = ms(think.wall);
    let found = match limits {
        Some(limits) if limits.by_wall() => {
            format!("after {wall_text} ({cpu_text} of CPU time){limit_text}")
        }
        _ => format!(
            "after {cpu_text} of CPU time with its start ({wall_text} on the wall){limit_text}"
        ),
    };
    let figures = json!({
        "cpu_us": micros(cpu), "wall_us": micros(think.wall), "limit_us": limit.map(micros)
    });
    Examination::passed(topic, found).with_figures(figures)
}
