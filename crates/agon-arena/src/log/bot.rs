//! The folder of one bot in the log of a match (`agon play --log DIR`): faults, turns and stderr.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agon_core::text::{escape_lines, is_hidden};
use agon_core::{BotInfo, Fault, Player};
use agon_match::{MatchResult, TurnNote, replay::BotRecord};
use serde_json::{Value, json};

use super::{Result, cannot_write, make_folder, write_json};

/// The most characters of a bot's name in the name of its folder.
const NAME: usize = 60;

const TURNS: &str = "step,turn,decisions,cpu_us,wall_us,stderr_bytes,faults";

/// The log of one bot.
pub(super) struct BotLog {
    folder: PathBuf,
    /// The contents of `bot.json` that are known at the beginning.
    about: Value,
    faults: Rows,
    turns: Rows,
    stderr: Rows,
}

impl BotLog {
    /// Starts the log, in a folder of its own.
    pub(super) fn create(folder: &Path, player: Player, info: &BotInfo) -> Result<BotLog> {
        let folder = folder.join(format!("{}-{}", player.index() + 1, safe(&info.name)));
        make_folder(&folder)?;
        let rows = |name, head| Rows { path: folder.join(name), head, file: None };
        let faults = rows("faults.jsonl", "");
        let turns = rows("turns.csv", TURNS);
        let stderr = rows("stderr.txt", "");
        let about = json!({ "player": player, "bot": info });
        let log = BotLog { faults, turns, stderr, about, folder };
        log.write_about(None, None)?;
        Ok(log)
    }

    pub(super) fn fault(&mut self, fault: &Fault) -> Result<()> {
        self.faults.push(&json!(fault).to_string())
    }

    /// Writes a row about a turn that is over; `faults` is its number of faults.
    pub(super) fn turn(
        &mut self,
        step: u64,
        turn: u64,
        note: &TurnNote,
        faults: u64,
    ) -> Result<()> {
        let cost = note.turn.cost;
        let stderr = &note.turn.stderr;
        let micros = |time: Option<std::time::Duration>| {
            time.map_or_else(String::new, |time| time.as_micros().to_string())
        };
        let cpu = micros(cost.and_then(|cost| cost.cpu));
        let wall = micros(cost.map(|cost| cost.wall));
        let decisions = note.decisions;
        let bytes = stderr.total();
        self.turns.push(&format!("{step},{turn},{decisions},{cpu},{wall},{bytes},{faults}"))?;
        if bytes == 0 {
            return Ok(());
        }
        self.said(&format!("step {step}, turn {turn}"), bytes, &stderr.text())
    }

    /// Writes what the bot wrote to stderr after its last answer.
    pub(super) fn last_words(&mut self, record: &BotRecord) -> Result<()> {
        match record.stderr.turns().last() {
            Some(talk) if talk.step.is_none() => {
                self.said("after its last answer", talk.bytes, &talk.text)
            }
            _ => Ok(()),
        }
    }

    fn said(&mut self, when: &str, bytes: u64, text: &str) -> Result<()> {
        self.stderr.push(&format!("== {when}, {bytes} bytes\n{}", text.trim_end_matches('\n')))
    }

    /// Writes how the bot stands and what it cost.
    pub(super) fn finish(&self, result: &MatchResult, record: Option<&BotRecord>) -> Result<()> {
        self.write_about(Some(result), record)
    }

    fn write_about(&self, result: Option<&MatchResult>, record: Option<&BotRecord>) -> Result<()> {
        let mut about = self.about.clone();
        let player = about["player"].as_u64().unwrap_or_default() as usize;
        let row = result.and_then(|result| result.players.get(player));
        let standing = result.and_then(|result| result.standing.players.get(player));
        about["standing"] = json!(standing);
        about["faults"] = json!(row.map(|row| &row.faults));
        about["totals"] = json!(record.map(|record| &record.totals));
        about["slowest"] = json!(record.map(|record| &record.slowest));
        write_json(&self.folder.join("bot.json"), &about)
    }
}

/// A file that grows by rows. It is made with its first row.
struct Rows {
    path: PathBuf,
    /// The first line, unless it is empty.
    head: &'static str,
    file: Option<File>,
}

impl Rows {
    /// Appends some text and a line feed, at once: nothing is lost when the arena is killed.
    fn push(&mut self, text: &str) -> Result<()> {
        let Rows { path, head, file } = self;
        let write = || -> io::Result<()> {
            let mut begun = String::new();
            let file = match file {
                Some(file) => file,
                none => {
                    if !head.is_empty() {
                        begun = format!("{head}\n");
                    }
                    none.insert(OpenOptions::new().append(true).create(true).open(&*path)?)
                }
            };
            file.write_all(format!("{begun}{}\n", escape_lines(text)).as_bytes())
        };
        write().map_err(|source| cannot_write(path, source))
    }
}

/// Makes a name that every file system takes.
fn safe(name: &str) -> String {
    let is_plain = |c: char| (c.is_alphanumeric() && !is_hidden(c)) || "-_.".contains(c);
    let plain = |c: char| if is_plain(c) { c } else { '_' };
    let name: String = name.chars().take(NAME).map(plain).collect();
    if name.is_empty() { "bot".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        assert_eq!(safe("my bot/../x:1"), "my_bot_.._x_1");
        assert_eq!(safe("füchse.py"), "füchse.py");
        assert_eq!((safe(""), safe(&"ä".repeat(300)).chars().count()), ("bot".to_owned(), NAME));
    }
}
