//! `agon play --log DIR`: writes costs, stderr and faults of the bots of a match to files.
//!
//! Every row goes to its file at once, so that the log survives if the arena is killed.
//! `match.json` and `bot.json` are written at the beginning and again at the end.

mod bot;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agon_core::{BotInfo, Fault, Player, text::EscapeWriter};
use agon_files::write_whole;
use agon_games::any::AnyGame;
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played};
use serde_json::{Value, json};
use thiserror::Error;

use self::bot::BotLog;

type Observed<T> = std::result::Result<T, ObserverError>;

/// Keeps the log of a match in a folder. Logs of void attempts go to folders beside it.
pub struct LogFolder {
    folder: PathBuf,
    /// The log of the current attempt.
    log: Option<Log>,
}

impl LogFolder {
    /// Makes a log that begins with the match.
    pub fn new(folder: &Path) -> LogFolder {
        LogFolder { folder: folder.to_owned(), log: None }
    }

    fn finish(&mut self, played: &Played) -> Result<()> {
        self.log.take().map_or(Ok(()), |log| log.finish(played))
    }

    /// Renames the log of a void attempt, to make room for the next one.
    fn put_aside(&self, attempt: u32) -> Result<()> {
        let folder = &self.folder;
        let no_name = || LogError::Refused("the folder for --log has no name".to_owned());
        let mut name = folder.file_name().ok_or_else(no_name)?.to_owned();
        name.push(format!("-void-{attempt}"));
        let aside = folder.with_file_name(name);
        let what = || format!("cannot rename {}", folder.display());
        fs::rename(folder, &aside).map_err(|source| LogError::Io { what: what(), source })
    }
}

impl Observer for LogFolder {
    fn begin(&mut self, event: &MatchEvent<'_>) -> Observed<Control> {
        self.log = Some(Log::create(&self.folder, event.game, event.players)?);
        self.step(event)
    }

    fn step(&mut self, event: &MatchEvent<'_>) -> Observed<Control> {
        if let Some(log) = &mut self.log {
            log.step(event)?;
        }
        Ok(Control::Continue)
    }

    fn void(&mut self, played: &Played, attempt: u32) -> Observed<()> {
        self.finish(played)?;
        Ok(self.put_aside(attempt)?)
    }

    fn end(&mut self, played: &Played) -> Observed<()> {
        Ok(self.finish(played)?)
    }
}

/// The log of a match.
struct Log {
    folder: PathBuf,
    /// What `match.json` says, without the result.
    about: Value,
    bots: Vec<BotLog>,
    /// The turn that the next step belongs to.
    turn: u64,
}

impl Log {
    /// Starts the log of a match in a folder that is new or empty.
    fn create(folder: &Path, game: &AnyGame, players: &[BotInfo]) -> Result<Log> {
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(LogError::Refused(format!(
                "{} is not empty; name a new folder for --log, or delete it first if you do not \
                 need it",
                folder.display()
            )));
        }
        make_folder(folder)?;
        let names: Vec<&str> = players.iter().map(|info| info.name.as_str()).collect();
        let about = json!({
            "agon": env!("CARGO_PKG_VERSION"), "game": game.meta().id,
            "rules_version": game.meta().rules_version, "rules": game.rules(),
            "seed": game.seed(), "players": names
        });
        let bots = Player::all(players.len()).zip(players);
        let bots = bots
            .map(|(player, info)| BotLog::create(folder, player, info))
            .collect::<Result<_>>()?;
        let log = Log { folder: folder.to_owned(), about, bots, turn: game.progress().turn };
        log.write_about(None)?;
        Ok(log)
    }

    /// Writes down a step.
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<()> {
        for fault in event.faults {
            self.bot(fault.player)?.fault(fault)?;
        }
        // The first event comes before the first step.
        let step = event.step.saturating_sub(1);
        let turn = std::mem::replace(&mut self.turn, event.game.progress().turn);
        for note in event.notes {
            let own = |fault: &&Fault| fault.player == note.player;
            let faults = event.faults.iter().filter(own).map(|fault| fault.count).sum();
            self.bot(note.player)?.turn(step, turn, note, faults)?;
        }
        Ok(())
    }

    /// Writes down the end.
    fn finish(mut self, played: &Played) -> Result<()> {
        for record in &played.diagnosis.bots {
            self.bot(record.player)?.last_words(record)?;
        }
        for (bot, player) in self.bots.iter().zip(Player::all(self.bots.len())) {
            bot.finish(&played.result, played.diagnosis.of(player))?;
        }
        self.write_about(Some(json!(played.result)))
    }

    fn bot(&mut self, player: Player) -> Result<&mut BotLog> {
        let unknown = || LogError::Refused(format!("there is no player {player}"));
        self.bots.get_mut(player.index()).ok_or_else(unknown)
    }

    fn write_about(&self, result: Option<Value>) -> Result<()> {
        let mut about = self.about.clone();
        about["result"] = result.into();
        write_json(&self.folder.join("match.json"), &about)
    }
}

/// Why a log cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The folder has something in it, or no name; or an event is about an unknown player.
    #[error("{0}")]
    Refused(String),
    /// A file or folder cannot be made, renamed or written.
    #[error("{what}: {source}")]
    Io {
        /// What cannot be done, and with which file.
        what: String,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be replaced.
    #[error("cannot write the log: {0}")]
    Replace(#[from] agon_files::WriteError),
}

pub(super) type Result<T> = std::result::Result<T, LogError>;

pub(super) fn make_folder(folder: &Path) -> Result<()> {
    let what = || format!("cannot make the folder {} for the log", folder.display());
    fs::create_dir_all(folder).map_err(|source| LogError::Io { what: what(), source })
}

/// Writes a file as a whole, or leaves it as it was.
pub(super) fn write_json(path: &Path, value: &Value) -> Result<()> {
    let mut text = EscapeWriter::new(Vec::new());
    let mut write = || {
        serde_json::to_writer_pretty(&mut text, value)?;
        text.write_all(b"\n")
    };
    write().map_err(|source| cannot_write(path, source))?;
    let text = text.finish().map_err(|source| cannot_write(path, source))?;
    Ok(write_whole(path, &text)?)
}

pub(super) fn cannot_write(path: &Path, source: io::Error) -> LogError {
    LogError::Io { what: format!("cannot write the log, {}", path.display()), source }
}
