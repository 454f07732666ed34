//! Files that run tournaments themselves, as they are evaluated.

use std::{
    path::{Path, absolute},
    sync::{Arc, Mutex},
};

use agon_core::Player;
use agon_games::amoebas::{Amoebas, Rules};
use serde_json::{Value, json};

use super::{ClojureBot, Shared, jvm::Jvm, lock};
use crate::{Bot, HostOptions, OpenError, process::Place, sandbox::own_folder};

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
    Tournament(Genesis),
    /// It is at its end.
    End,
}

/// What a tournament is called with.
#[derive(Clone, Debug, PartialEq)]
pub struct Genesis {
    /// The species, and the colours given for them as red, green and blue.
    pub species: Vec<(String, Option<[u8; 3]>)>,
    /// How many rounds.
    pub rounds: u32,
    /// The flags that are set, without the colon.
    pub flags: Vec<String>,
    /// The folder for files.
    pub directory: String,
}

impl Genesis {
    /// Whether a flag is set, such as `csv-stats`.
    pub fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|name| name == flag)
    }
}

impl Tournaments {
    /// Begins to evaluate a file; `rules` are the constants it sees.
    ///
    /// # Errors
    /// If Java or Clojure are not there.
    pub fn open(path: &Path, rules: &Rules, options: &HostOptions) -> Result<Tournaments, OpenError> {
        let whole = absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut jvm = Jvm::open(own_folder(&whole), options)?;
        jvm.tell_physics(rules);
        jvm.tell(&json!(["run", path.to_string_lossy()]));
        Ok(Tournaments { jvm: Arc::new(Mutex::new(jvm)) })
    }

    /// What the file does next. It may take as long as it likes.
    ///
    /// # Errors
    /// With what it has thrown, or how it ended its JVM.
    pub fn next_event(&mut self) -> Result<Event, String> {
        let reply = lock(&self.jvm).reply(None, Place::start(Player(0)), "");
        let reply = reply.map_err(|fault| super::message(&fault))?;
        let text = || reply[1].as_str().unwrap_or_default().to_owned();
        match reply[0].as_str() {
            Some("say") => Ok(Event::Say(text())),
            Some("end" | "exit") => Ok(Event::End),
            Some("error") => Err(text()),
            Some("tournament") => {
                genesis(&reply).map(Event::Tournament).ok_or_else(|| format!("no tournament: {reply}"))
            }
            _ => Err(format!("the JVM said {reply}")),
        }
    }

    /// The species of a tournament as bots.
    pub fn bots(&self, genesis: &Genesis) -> Vec<Box<dyn Bot<Amoebas>>> {
        let names: Vec<String> = genesis.species.iter().map(|(name, _)| name.clone()).collect();
        lock(&self.jvm).seat_all(&names);
        let bot = |number| Box::new(ClojureBot::new(Arc::clone(&self.jvm), number)) as Box<dyn Bot<Amoebas>>;
        (0..names.len()).map(bot).collect()
    }

    /// The tournament has been played: the file goes on.
    pub fn over(&mut self) {
        lock(&self.jvm).tell(&json!(["over"]));
    }
}

/// Reads `["tournament", [[name, [r, g, b]], ...], rounds, flags, directory]`.
fn genesis(reply: &Value) -> Option<Genesis> {
    let channel = |value: &Value| u8::try_from(value.as_i64()?.clamp(0, 255)).ok();
    let color = |value: &Value| -> Option<[u8; 3]> {
        Some([channel(value.get(0)?)?, channel(value.get(1)?)?, channel(value.get(2)?)?])
    };
    let species = |value: &Value| Some((value[0].as_str()?.to_owned(), color(&value[1])));
    Some(Genesis {
        species: reply[1].as_array()?.iter().map(species).collect::<Option<_>>()?,
        rounds: u32::try_from(reply[2].as_i64()?.max(0)).ok()?,
        flags: reply[3]
            .as_array()?
            .iter()
            .map(|flag| flag.as_str().map(str::to_owned))
            .collect::<Option<_>>()?,
        directory: reply[4].as_str()?.to_owned(),
    })
}
