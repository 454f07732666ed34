//! A replay or a match in a page.

use std::time::Duration;

use agon_core::Game;
use agon_games::{GameId, UnknownGame, with_game};
use agon_paint::{Frame, ThemeName};
use agon_replay::{Damage, OpenError, ReadError, Replay};
use agon_view::{App, Input, Redraw};
use serde_json::json;
use thiserror::Error;

use crate::{
    live::{LiveError, Orders, Receiver},
    verification::{ReplayProof, Verification},
};

/// Why a page cannot show something.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenFailure {
    /// It is no replay.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It is a replay of no game known here.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// Its start cannot be played.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The viewer refuses it.
    #[error(transparent)]
    View(#[from] agon_view::OpenError),
}

/// What a page shows: a replay, or a match that is being played.
pub struct Session {
    shown: Option<Shown>,
    source: Source,
    frame: Frame,
}

/// Where it comes from.
enum Source {
    /// A replay, which may be damaged.
    File { damage: Option<Damage> },
    /// A match that is being played.
    Live(Box<Receiver>),
}

/// What can be seen of it, once there is anything.
pub(crate) struct Shown {
    pub(crate) app: Box<dyn App>,
    pub(crate) proof: Box<dyn Verification>,
}

impl Session {
    /// A replay, given the bytes of its file.
    ///
    /// # Errors
    /// If it is no replay, or of a game or rules that are not known here, or its start is damaged.
    pub fn open(file: Vec<u8>, theme: ThemeName) -> Result<Session, OpenFailure> {
        let replay = Replay::open(file)?;
        let game: GameId = replay.header().game.parse()?;
        let shown = with_game!(game, G => shown::<G>(&replay, theme)?);
        let source = Source::File { damage: replay.damage() };
        Ok(Session { shown: Some(shown), source, frame: Frame::new(1, 1) })
    }

    /// A match of which nothing is known yet; [`feed`](Session::feed) tells more. The viewer stays
    /// with its newest state if it is to `follow`, and otherwise shows it from its start, at its
    /// own speed.
    pub fn live(theme: ThemeName, follow: bool) -> Session {
        let source = Source::Live(Box::new(Receiver::new(theme, follow)));
        Session { shown: None, source, frame: Frame::new(1, 1) }
    }

    /// Takes messages of [`live`](crate::live), cut anywhere.
    ///
    /// # Errors
    /// If it does not fit together, or the match goes on otherwise than the rules say.
    ///
    /// # Panics
    /// If it is a replay.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Redraw, LiveError> {
        let Source::Live(receiver) = &mut self.source else { panic!("only a live match is fed") };
        if let Some(shown) = receiver.feed(bytes)? {
            self.shown = Some(shown);
        }
        Ok(Redraw::Yes)
    }

    /// Takes the orders of a person that are to be sent to the arena.
    pub fn take_orders(&mut self) -> Option<Orders> {
        match &mut self.source {
            Source::Live(receiver) => receiver.take_orders(),
            Source::File { .. } => None,
        }
    }

    /// The orders did not arrive: whoever gave them is asked again, if the question still waits.
    pub fn ask_again(&mut self) {
        if let Source::Live(receiver) = &mut self.source {
            receiver.ask_again();
        }
    }

    /// Takes an input.
    pub fn input(&mut self, input: Input) -> Redraw {
        self.shown.as_mut().map_or(Redraw::No, |shown| shown.app.input(input))
    }

    /// Goes on in time; see [`App::tick`].
    pub fn tick(&mut self, now: Duration) -> Redraw {
        self.shown.as_mut().map_or(Redraw::No, |shown| shown.app.tick(now))
    }

    /// How long nothing will happen; see [`App::idle`].
    pub fn idle(&self) -> Option<Duration> {
        self.shown.as_ref().and_then(|shown| shown.app.idle())
    }

    /// Whether the person wants to leave.
    pub fn is_closed(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.app.is_closed())
    }

    /// Verifies one more step, and says whether there is more to do now.
    pub fn verify(&mut self) -> bool {
        self.shown.as_mut().is_some_and(|shown| shown.proof.verify_next())
    }

    /// The picture in this size; both at least 1.
    pub fn paint(&mut self, width: u32, height: u32) -> &Frame {
        self.frame.resize(width, height);
        if let Some(shown) = &mut self.shown {
            shown.app.paint(&mut self.frame);
        }
        &self.frame
    }

    /// What the page is called.
    pub fn title(&self) -> String {
        self.shown.as_ref().map_or_else(String::new, |shown| shown.app.title())
    }

    /// What the page and its tests want to know, as JSON: `docs/web.md` lists it.
    pub fn state(&self) -> serde_json::Value {
        let Some(shown) = &self.shown else { return json!({ "waiting": true }) };
        let damage = match &self.source {
            Source::File { damage } => damage.map(|damage| damage.to_string()),
            Source::Live(_) => None,
        };
        let question = match &self.source {
            Source::File { .. } => None,
            Source::Live(receiver) => receiver.question(),
        };
        json!({
            "shown": shown.app.status(), "damage": damage, "verified": shown.proof.proven(),
            "question": question
        })
    }
}

/// A viewer of a replay, and its proof.
fn shown<G: Game>(replay: &Replay, theme: ThemeName) -> Result<Shown, OpenFailure> {
    let proof = Box::new(ReplayProof::<G>::new(replay)?);
    Ok(Shown { app: agon_view::open(replay, theme)?, proof })
}
