//! The report for programs: JSON Lines, `docs/doctor.md`.

use std::io::Write;

use agon_kits::{Language, Program};
use anyhow::Result;
use serde_json::{Value, json};

use super::{findings::Findings, verdict::Verdict};

pub(super) fn print(findings: &Findings, verdict: &Verdict, out: &mut impl Write) -> Result<()> {
    let Findings { confined, languages, machine } = findings;
    let mut line =
        |kind: &str, data: Value| writeln!(out, "{}", json!({ "type": kind, "data": data }));
    line(
        "sandbox",
        json!({
            "kernel": confined.kernel, "default": confined.works(),
            "strict": confined.is_complete(), "identity": confined.identity(),
            "problem": confined.rows.as_ref().err()
        }),
    )?;
    for row in confined.rows.iter().flatten() {
        let words = row.state.as_ref().ok();
        let problem = row.state.as_ref().err();
        line(
            "mechanism",
            json!({
                "mechanism": row.mechanism, "active": row.state.is_ok(), "words": words,
                "problem": problem
            }),
        )?;
    }
    for language in languages {
        let Language { id, name, programs: all, libraries } = language;
        let data = json!({
            "id": id, "language": name, "ready": language.is_ready(), "programs": programs(all),
            "libraries": programs(libraries)
        });
        line("language", data)?;
    }
    let memory = machine.memory;
    let cache = json!({
        "path": machine.cache.path, "bytes": machine.cache.bytes, "free": machine.cache.free,
        "problem": machine.cache.problem
    });
    line(
        "machine",
        json!({
            "cores": machine.cores, "load": machine.load,
            "memory": memory.map(|memory| memory.total),
            "available": memory.map(|memory| memory.available), "cache": cache
        }),
    )?;
    Ok(line(
        "verdict",
        json!({ "complete": confined.is_complete(), "fine": verdict.fine, "text": verdict.text }),
    )?)
}

fn programs(all: &[Program]) -> Vec<Value> {
    let describe = |Program { name, found }: &Program| match found {
        Ok(found) => {
            json!({ "name": name, "path": found.path, "version": found.version, "problem": null,
            "remedy": null })
        }
        Err(absent) => json!({ "name": name, "path": null, "version": null, "problem": absent.why,
            "remedy": absent.remedy }),
    };
    all.iter().map(describe).collect()
}
