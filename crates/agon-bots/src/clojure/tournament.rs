//! Files that run tournaments themselves, as they are evaluated.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use agon_core::Player;
use agon_games::amoebas::{Amoebas, Rules};
use serde_json::{Map, Value, json};

use super::{ClojureBot, Jvms, Shared, jvm::Jvm, lock, places};
use crate::{Bot, HostOptions, OpenError, process::FaultSite};

/// A file that is being evaluated. It waits whenever it has said something.
pub struct Tournaments {
    jvm: Shared,
}

/// What a file does that is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// It prints something.
    Say(String),
    /// It plays a tournament, and waits for [`Tournaments::over`].
    Tournament(TournamentCall),
    /// It is at its end.
    End(End),
}

/// A function of a file that is to be called with a number of rounds and flags, once the file has
/// been evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name, such as `Final`; that of another namespace stands before a slash.
    pub function: String,
    /// How many rounds.
    pub rounds: u32,
    /// The flags that are set, without the colon.
    pub flags: Vec<String>,
    /// The folder for files.
    pub directory: Option<String>,
}

/// What a file has, at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// What came of the call.
    pub call: Called,
    /// The functions that can be called with rounds and flags, in the order of the file; of many
    /// the first hundred.
    pub functions: Vec<String>,
    /// Whether the file has an amoeba function, so that it can play as a species.
    pub is_species: bool,
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// None was wanted, or the file has ended its process itself.
    NotAsked,
    /// The function has been called.
    Done,
    /// There is no such function.
    Unknown,
    /// There is something of this name that takes no rounds and flags.
    Unfit,
}

impl End {
    /// That of a file that has ended its process.
    const EXIT: End = End { call: Called::NotAsked, functions: Vec::new(), is_species: false };

    /// Reads `["end", what came of the call, [name, ...], whether it has an amoeba function]`.
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
    /// How Clojure prints what stands for it, such as `:red`.
    pub printed: String,
    /// What stands for it as a string, as in files.
    pub text: String,
    /// The colour given for it as red, green and blue.
    pub color: Option<[u8; 3]>,
}

/// What a tournament is called with.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentCall {
    /// The species.
    pub species: Vec<Entrant>,
    /// How many rounds.
    pub rounds: u32,
    /// The flags that are set, without the colon.
    pub flags: Vec<String>,
    /// The folder for files.
    pub directory: String,
}

impl TournamentCall {
    /// Whether a flag is set, such as `csv-stats`.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|name| name == flag)
    }
}

impl Tournaments {
    /// Begins to evaluate a file, and then to call one of its functions; `rules` are the constants
    /// it sees.
    ///
    /// # Errors
    /// If Java or Clojure are not there.
    pub fn open(
        path: &Path,
        call: Option<&Call>,
        rules: &Rules,
        options: &HostOptions,
    ) -> Result<Tournaments, OpenError> {
        let mut jvm = Jvm::open(places::of_file(path, options.sandbox.level), options)?;
        jvm.ready()?;
        jvm.tell_physics(rules);
        jvm.tell(&json!(["run", path.to_string_lossy(), call.map(Call::command)]));
        Ok(Tournaments { jvm: Arc::new(Mutex::new(jvm)) })
    }

    /// What the file does next. It may take as long as it likes.
    ///
    /// # Errors
    /// With what it has thrown, or how it ended its JVM.
    pub fn next_event(&mut self) -> Result<Event, String> {
        let reply = lock(&self.jvm).reply(None, FaultSite::start(Player(0)), "");
        let reply = reply.map_err(|fault| super::message(&fault))?;
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

    /// The species of a tournament as bots.
    pub fn bots(&self, call: &TournamentCall) -> Vec<Box<dyn Bot<Amoebas>>> {
        let names: Vec<String> = call.species.iter().map(|species| species.name.clone()).collect();
        lock(&self.jvm).seat_all(&names);
        let bot = |number| {
            let bot = ClojureBot::new(Arc::clone(&self.jvm), number, Jvms::default());
            Box::new(bot) as Box<dyn Bot<Amoebas>>
        };
        (0..names.len()).map(bot).collect()
    }

    /// The tournament has been played: the file goes on.
    pub fn over(&mut self) {
        lock(&self.jvm).tell(&json!(["over"]));
    }
}

impl Call {
    /// The call as the JVM reads it: `[name rounds {flag true ...}]`.
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
