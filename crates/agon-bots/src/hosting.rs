//! Connects a game with hosts for its bots: time limits, protocols, C functions, Clojure.

use std::time::Duration;

use agon_core::Game;
use agon_games::any::GameKind;
use agon_games::{
    amoebas::Amoebas, battlesnake::Battlesnake, binfection::Binfection, cellhack::Cellhack,
    cluster::Cluster, rezzo::Rezzo,
};

use crate::{
    BatchLimits, Bot, Clock, ClojureFile, HostOptions, OpenError, Program, WebServer, amoebas,
    battlesnake, binfection, cellhack, cluster, rezzo,
};

/// Opens a program that speaks a game's own protocol.
pub type OpenProgramFn = fn(Program, &HostOptions) -> Result<Box<dyn Bot>, OpenError>;

/// Opens a web server.
pub type OpenHttpFn = fn(WebServer<'_>, &HostOptions) -> Result<Box<dyn Bot>, OpenError>;

/// Opens a Clojure file.
pub type OpenClojureFn = fn(&ClojureFile, &HostOptions) -> Result<Box<dyn Bot>, OpenError>;

/// How the bots of a game are run.
///
/// [`hosting`] returns it. Built-in bots, native libraries, WebAssembly and programs that speak the
/// JSON Lines protocol play in every game.
#[derive(Clone, Copy, Debug)]
pub struct Hosting {
    /// Time for answers.
    pub pace: BatchLimits,
    /// The number of silent turns in a row that stops a program, in games that do not wait.
    ///
    /// `None` for games that stop a program after [`TIMEOUTS`](crate::jsonl::TIMEOUTS) late answers
    /// in a row.
    pub silent_turns: Option<u32>,
    /// The host of programs that speak the game's own protocol.
    pub program: Option<OpenProgramFn>,
    /// Returns whether some output is an answer of the game's own protocol.
    ///
    /// It shows that a program is started with the wrong protocol.
    pub own_answer: Option<fn(&[u8]) -> bool>,
    /// The host of web servers.
    pub http: Option<OpenHttpFn>,
    /// Whether programs that speak the game's own protocol see the folder that they start in.
    pub sees_folder: bool,
    /// Name and text of the header of the game's own C functions.
    ///
    /// Sources need not include it.
    pub c_header: Option<(&'static str, &'static str)>,
    /// C source that turns the game's own C functions into a bot for whole batches.
    ///
    /// It is for WebAssembly and defines weak symbols only.
    pub c_shim: Option<&'static str>,
    /// The host of Clojure files.
    pub clojure: Option<OpenClojureFn>,
}

/// The games with time limits or hosts of their own.
const OWN: [(&str, Hosting); 6] = [
    (Amoebas::META.id, amoebas::HOSTING),
    (Battlesnake::META.id, battlesnake::HOSTING),
    (Binfection::META.id, binfection::HOSTING),
    (Cellhack::META.id, cellhack::HOSTING),
    (Cluster::META.id, cluster::HOSTING),
    (Rezzo::META.id, rezzo::HOSTING),
];

/// Returns how the bots of a game are run.
pub fn hosting(kind: &dyn GameKind) -> Hosting {
    let id = kind.meta().id;
    let own = OWN.iter().find(|(game, _)| *game == id);
    own.map_or_else(|| Hosting::usual(kind.answer_times()), |&(_, own)| own)
}

impl Hosting {
    /// Only what every game has, with these times for the first answer of a program and for each
    /// later one.
    fn usual((first, then): (Duration, Duration)) -> Hosting {
        let clock = Clock { first, then, wall_factor: Clock::WALL_FACTOR, bank: Duration::ZERO };
        Hosting::with_pace(BatchLimits { clock, each: Duration::ZERO })
    }

    /// The same with any time limits.
    pub(crate) const fn with_pace(pace: BatchLimits) -> Hosting {
        Hosting {
            pace,
            silent_turns: None,
            program: None,
            own_answer: None,
            http: None,
            sees_folder: false,
            c_header: None,
            c_shim: None,
            clojure: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_games::{GameId, any::kind_of};
    use agon_testkit::{bare::Bare, toy::Toy};

    use super::*;

    #[test]
    fn games_without_hosts_of_their_own_have_the_usual_ones() {
        let usual = hosting(kind_of::<Bare<Toy>>());
        let Clock { first, then, .. } = usual.pace.clock;
        assert_eq!((first, then), kind_of::<Bare<Toy>>().answer_times());
        assert!(usual.program.is_none() && usual.clojure.is_none() && usual.c_shim.is_none());
        assert!(hosting(GameId::Amoebas.kind()).clojure.is_some());
        assert!(hosting(GameId::Rezzo.kind()).program.is_some());
    }
}
