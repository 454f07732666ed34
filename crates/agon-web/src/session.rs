//! What one page shows: a replay or a running match, with its viewer and its verification.
//!
//! `exports` keeps the sessions, and calls them for the page's script.

use std::time::Duration;

use agon_games::{GameId, UnknownGame, with_game};
use agon_match::replay::{Damage, OpenError, ReadError, Replay};
use agon_view::paint::{Appearance, Frame};
use agon_view::{App, Input, Redraw};
use serde_json::json;
use thiserror::Error;

use crate::{
    live::{LiveError, Orders, Receiver},
    verification::{ReplayProof, Verification},
};

/// The reason why a page cannot show something.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenFailure {
    /// It is no replay.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It is a replay of an unknown game.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// Its start cannot be played.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The viewer refuses it.
    #[error(transparent)]
    View(#[from] agon_view::OpenError),
}

/// The contents of a page: a replay, or a running match.
pub struct Session {
    /// The viewer; a live session has none until its match begins.
    app: Option<Box<dyn App>>,
    source: Source,
    frame: Frame,
}

/// The source of a session.
enum Source {
    /// A replay, which may be damaged.
    File { damage: Option<Damage>, proof: Box<dyn Verification> },
    /// A running match.
    Live(Box<Receiver>),
}

impl Session {
    /// Opens a replay from the bytes of its file.
    ///
    /// # Errors
    /// If it is no replay, or of a game or rules that are unknown here, or its start is damaged.
    pub fn open(file: Vec<u8>, appearance: impl Into<Appearance>) -> Result<Session, OpenFailure> {
        let appearance = appearance.into();
        let replay = Replay::open(file)?;
        let game: GameId = replay.header().game.parse()?;
        let proof: Box<dyn Verification> =
            with_game!(game, G => Box::new(ReplayProof::<G>::new(&replay)?));
        let app = Some(agon_view::open(&replay, appearance)?);
        let source = Source::File { damage: replay.damage(), proof };
        Ok(Session { app, source, frame: Frame::new(1, 1) })
    }

    /// Starts a match without any state; [`feed`](Session::feed) adds messages.
    ///
    /// With `follow` the viewer stays at the newest state. Otherwise it plays from the start at its
    /// own speed.
    pub fn live(appearance: impl Into<Appearance>, follow: bool) -> Session {
        let source = Source::Live(Box::new(Receiver::new(appearance.into(), follow)));
        Session { app: None, source, frame: Frame::new(1, 1) }
    }

    /// Takes messages of [`live`](crate::live) in chunks of any size.
    ///
    /// # Errors
    /// If they do not fit together, or the match continues against the rules.
    ///
    /// # Panics
    /// If it is a replay.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Redraw, LiveError> {
        let Source::Live(receiver) = &mut self.source else { panic!("only a live match is fed") };
        if let Some(app) = receiver.feed(bytes)? {
            self.app = Some(app);
        }
        Ok(Redraw::Yes)
    }

    /// Takes a person's orders to send to the arena.
    pub fn take_orders(&mut self) -> Option<Orders> {
        match &mut self.source {
            Source::Live(receiver) => receiver.take_orders(),
            Source::File { .. } => None,
        }
    }

    /// Asks a person again, because their orders did not arrive, if the question still waits.
    pub fn ask_again(&mut self) {
        if let Source::Live(receiver) = &mut self.source {
            receiver.ask_again();
        }
    }

    /// Opens a replay at a turn, and plays or pauses; see [`App::open_at`].
    pub fn open_at(&mut self, turn: Option<u64>, plays: bool) {
        if let Some(app) = &mut self.app {
            app.open_at(turn, plays);
        }
    }

    /// Opens a replay at a step, and pauses there; see [`App::open_at_step`].
    pub fn open_at_step(&mut self, step: u64) {
        if let Some(app) = &mut self.app {
            app.open_at_step(step);
        }
    }

    /// Makes the replay of a match that has been followed to its end.
    ///
    /// It has no faults and no output of bots, of which a page learns nothing.
    ///
    /// # Errors
    /// If the match is not over, or cannot be written; the text is for people.
    pub fn replay(&self) -> Result<Vec<u8>, String> {
        match &self.source {
            Source::Live(receiver) => receiver.replay(),
            Source::File { .. } => Err("the page has the file of this replay".to_owned()),
        }
    }

    /// Takes an input.
    pub fn input(&mut self, input: Input) -> Redraw {
        self.app.as_mut().map_or(Redraw::No, |app| app.input(input))
    }

    /// Advances the time; see [`App::tick`].
    pub fn tick(&mut self, now: Duration) -> Redraw {
        self.app.as_mut().map_or(Redraw::No, |app| app.tick(now))
    }

    /// Returns the time without any event; see [`App::idle`].
    pub fn idle(&self) -> Option<Duration> {
        self.app.as_ref().and_then(|app| app.idle())
    }

    /// Returns whether the person wants to leave.
    pub fn is_closed(&self) -> bool {
        self.app.as_ref().is_some_and(|app| app.is_closed())
    }

    /// Verifies one more step, and returns whether there is more to do now.
    pub fn verify(&mut self) -> bool {
        match &mut self.source {
            Source::File { proof, .. } => proof.verify_next(),
            Source::Live(_) => false,
        }
    }

    /// Paints the picture in this size; both at least 1.
    pub fn paint(&mut self, width: u32, height: u32) -> &Frame {
        self.frame.resize(width, height);
        if let Some(app) = &mut self.app {
            app.paint(&mut self.frame);
        }
        &self.frame
    }

    /// Returns the title of the page.
    pub fn title(&self) -> String {
        self.app.as_ref().map_or_else(String::new, |app| app.title())
    }

    /// Returns the state for the page and its tests, as JSON: `docs/web.md` lists it.
    pub fn state(&self) -> serde_json::Value {
        let Some(app) = &self.app else { return json!({ "waiting": true }) };
        let (damage, verified, question) = match &self.source {
            Source::File { damage, proof } => {
                (damage.map(|damage| damage.to_string()), proof.proven(), None)
            }
            Source::Live(receiver) => (None, receiver.proven(), receiver.question()),
        };
        json!({
            "shown": app.status(), "damage": damage, "verified": verified, "question": question
        })
    }
}
