//! `--log DIR`: writes costs, stderr and faults of the bots of a match to files as it is played.
//!
//! Every row goes to its file at once, so that the log survives if the arena is killed.
//! `match.json` and `bot.json` are written at the beginning and again at the end.

mod bot;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use agon_core::{BotInfo, Fault, Game, Player};
use agon_files::write_whole;
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played};
use agon_text::EscapeWriter;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use bot::BotLog;

/// Keeps the log of a match in a folder, and those of void attempts in folders beside it.
pub(crate) struct LogFolder {
    folder: PathBuf,
    /// The log of the current attempt.
    log: Option<Log>,
}

impl LogFolder {
    /// A log that begins with the match.
    pub(crate) fn new(folder: &Path) -> LogFolder {
        LogFolder { folder: folder.to_owned(), log: None }
    }

    fn finish<G: Game>(&mut self, played: &Played<G>) -> Result<()> {
        self.log.take().map_or(Ok(()), |log| log.finish(played))
    }

    /// Makes room for the next attempt's log: that of the void one gets another name.
    fn put_aside(&self, attempt: u32) -> Result<()> {
        let folder = &self.folder;
        let mut name = folder.file_name().context("the folder for --log has no name")?.to_owned();
        name.push(format!("-void-{attempt}"));
        let aside = folder.with_file_name(name);
        fs::rename(folder, &aside).with_context(|| format!("cannot rename {}", folder.display()))
    }
}

impl<G: Game> Observer<G> for LogFolder {
    fn begin(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        self.log = Some(Log::create(&self.folder, event.game, event.players)?);
        self.step(event)
    }

    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        if let Some(log) = &mut self.log {
            log.step(event)?;
        }
        Ok(Control::Continue)
    }

    fn void(&mut self, played: &Played<G>, attempt: u32) -> Result<(), ObserverError> {
        self.finish(played)?;
        Ok(self.put_aside(attempt)?)
    }

    fn end(&mut self, played: &Played<G>) -> Result<(), ObserverError> {
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
    /// Begins the log of a match in a folder that is new or empty.
    ///
    /// # Errors
    /// If the folder holds something already, or cannot be written.
    fn create<G: Game>(folder: &Path, game: &G, players: &[BotInfo]) -> Result<Log> {
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            let folder = folder.display();
            bail!(
                "{folder} is not empty; name a new folder for --log, or delete it first if you do \
                 not need it"
            );
        }
        make_folder(folder)?;
        let names: Vec<&str> = players.iter().map(|info| info.name.as_str()).collect();
        let about = json!({
            "agon": env!("CARGO_PKG_VERSION"), "game": G::META.id,
            "rules_version": G::META.rules_version, "rules": game.rules(),
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
    ///
    /// # Errors
    /// If a file cannot be written.
    fn step<G: Game>(&mut self, event: &MatchEvent<'_, G>) -> Result<()> {
        for fault in event.faults {
            self.bot(fault.player)?.fault(fault)?;
        }
        // The first event is that before the first step.
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
    ///
    /// # Errors
    /// If a file cannot be written.
    fn finish<G: Game>(mut self, played: &Played<G>) -> Result<()> {
        for record in &played.diagnosis.bots {
            self.bot(record.player)?.last_words(record)?;
        }
        for (bot, player) in self.bots.iter().zip(Player::all(self.bots.len())) {
            bot.finish(&played.result, played.diagnosis.of(player))?;
        }
        self.write_about(Some(serde_json::to_value(&played.result)?))
    }

    fn bot(&mut self, player: Player) -> Result<&mut BotLog> {
        self.bots.get_mut(player.index()).with_context(|| format!("there is no player {player}"))
    }

    fn write_about(&self, result: Option<Value>) -> Result<()> {
        let mut about = self.about.clone();
        about["result"] = result.into();
        write_json(&self.folder.join("match.json"), &about)
    }
}

fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {} for the log", folder.display()))
}

/// Writes a file so that it is there as a whole or as it was before.
fn write_json(path: &Path, value: &Value) -> Result<()> {
    let mut text = EscapeWriter::new(Vec::new());
    serde_json::to_writer_pretty(&mut text, value)?;
    text.write_all(b"\n")?;
    write_whole(path, &text.finish()?).with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write the log, {}", path.display())
}
