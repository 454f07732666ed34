//! Runs Clojure files that play tournaments themselves while they are evaluated, for `agon
//! amoebas`.
//!
//! Such a file stops at each tournament that it calls. The caller plays it, and the file continues.

use std::path::Path;
use std::sync::{Arc, Mutex};

use agon_core::Player;
use agon_games::amoebas::Rules;
use serde_json::{Map, Value, json};

use super::jvm::{Shared, lock};
use super::{ClojureBot, Jvms, placement, places};
use crate::{Bot, HostOptions, OpenError, process::FaultSite};

/// A file that is being evaluated. It waits after each event.
pub struct Tournaments {
    jvm: Shared,
}

/// An event in the evaluation of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It prints a text.
    Say(String),
    /// It plays a tournament, and waits for [`Tournaments::over`].
    Tournament(TournamentCall),
    /// It is at its end.
    End(End),
}

/// A call of one of the file's functions with rounds and flags, after its evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name, such as `Final`; a slash ends the name of another namespace.
    pub function: String,
    /// The number of rounds.
    pub rounds: u32,
    /// The flags that are set, without the colon.
    pub flags: Vec<String>,
    /// The folder for files.
    pub directory: Option<String>,
}

/// The results at the end of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The result of the call.
    pub call: Called,
    /// The functions that take rounds and flags, in the order of the file; at most a hundred.
    pub functions: Vec<String>,
    /// Whether the file has an amoeba function, so that it can play as a species.
    pub is_species: bool,
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// No call was wanted, or the file has ended its process itself.
    NotAsked,
    /// The function has been called.
    Done,
    /// There is no such function.
    Unknown,
    /// The thing with this name takes no rounds and flags.
    Unfit,
}

impl End {
    /// The end of a file that has ended its process.
    const EXIT: End = End { call: Called::NotAsked, functions: Vec::new(), is_species: false };

    /// Reads `["end", result of the call, [name, ...], whether it has an amoeba function]`.
    fn read(reply: &Value) -> Option<End> {
        let call = match reply[1].as_str()? {
            "none" => Called::NotAsked,
            "called" => Called::Done,
            "unknown" => Called::Unknown,
            "unfit" => Called::Unfit,
            _ => return None,
        };
        let names = reply[2].as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
        Some(End {
            call,
            functions: names.collect::<Option<_>>()?,
            is_species: reply[3].as_bool()?,
        })
    }
}

/// A species of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name as a player.
    pub name: String,
    /// Clojure's printed form of its key, such as `:red`.
    pub printed: String,
    /// Its key as a string, for files.
    pub text: String,
    /// The colour given for it as red, green and blue.
    pub color: Option<[u8; 3]>,
}

/// The arguments of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentCall {
    /// The species.
    pub species: Vec<Entrant>,
    /// The number of rounds.
    pub rounds: u32,
    /// The flags that are set, without the colon.
    pub flags: Vec<String>,
    /// The folder for files.
    pub directory: String,
}

impl TournamentCall {
    /// Returns whether a flag is set, such as `csv-stats`.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|name| name == flag)
    }
}

impl Tournaments {
    /// Starts to evaluate a file and then to call one of its functions.
    ///
    /// `rules` are the constants it sees.
    pub fn open(
        path: &Path,
        call: Option<&Call>,
        rules: &Rules,
        options: &HostOptions,
    ) -> Result<Tournaments, OpenError> {
        let mut jvm = placement::open(
            places::of_file(path, options.sandbox.level, &options.snapshots),
            options,
        )?;
        jvm.ready()?;
        jvm.tell_physics(rules);
        jvm.tell(&json!(["run", path.to_string_lossy(), call.map(Call::command)]));
        Ok(Tournaments { jvm: Arc::new(Mutex::new(jvm)) })
    }

    /// Waits for the file's next event, without a limit.
    ///
    /// # Errors
    /// With the exception that it has thrown, or the end of its JVM.
    pub fn next_event(&mut self) -> Result<Event, String> {
        let reply = lock(&self.jvm).reply(None, FaultSite::start(Player(0)), "");
        let reply = reply.map_err(|fault| super::jvm::message(&fault))?;
        let text = || reply[1].as_str().unwrap_or_default().to_owned();
        match reply[0].as_str() {
            Some("say") => Ok(Event::Say(text())),
            Some("end") => {
                End::read(&reply).map(Event::End).ok_or_else(|| format!("no end: {reply}"))
            }
            Some("exit") => Ok(Event::End(End::EXIT)),
            Some("error") => Err(text()),
            Some("tournament") => {
                call(&reply).map(Event::Tournament).ok_or_else(|| format!("no tournament: {reply}"))
            }
            _ => Err(format!("the JVM said {reply}")),
        }
    }

    /// Returns the species of a tournament as bots.
    pub fn bots(&self, call: &TournamentCall) -> Vec<Box<dyn Bot>> {
        let names: Vec<String> = call.species.iter().map(|species| species.name.clone()).collect();
        lock(&self.jvm).seat_all(&names);
        let bot = |number| {
            let bot = ClojureBot::new(Arc::clone(&self.jvm), number, Jvms::default());
            Box::new(bot) as Box<dyn Bot>
        };
        (0..names.len()).map(bot).collect()
    }

    /// Reports the end of the tournament, so that the file continues.
    pub fn over(&mut self) {
        lock(&self.jvm).tell(&json!(["over"]));
    }
}

impl Call {
    /// Returns the call in the form that the JVM reads: `[name rounds {flag true ...}]`.
    fn command(&self) -> Value {
        let mut flags: Map<String, Value> =
            self.flags.iter().map(|flag| (flag.clone(), true.into())).collect();
        flags.extend(
            self.directory.iter().map(|folder| ("directory".to_owned(), folder.as_str().into())),
        );
        json!([self.function, self.rounds, flags])
    }
}

/// Reads `["tournament", [[name, printed, text, [r, g, b]], ...], rounds, flags, directory]`.
fn call(reply: &Value) -> Option<TournamentCall> {
    let channel = |value: &Value| u8::try_from(value.as_i64()?.clamp(0, 255)).ok();
    let color = |value: &Value| -> Option<[u8; 3]> {
        Some([channel(value.get(0)?)?, channel(value.get(1)?)?, channel(value.get(2)?)?])
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let entrant = |value: &Value| {
        let name = text(&value[0])?;
        let printed = text(&value[1])?;
        let text = text(&value[2])?;
        Some(Entrant { name, printed, text, color: color(&value[3]) })
    };
    Some(TournamentCall {
        species: reply[1].as_array()?.iter().map(entrant).collect::<Option<_>>()?,
        rounds: u32::try_from(reply[2].as_i64()?.max(0)).ok()?,
        flags: reply[3]
            .as_array()?
            .iter()
            .map(|flag| flag.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
        directory: reply[4].as_str()?.to_owned(),
    })
}
