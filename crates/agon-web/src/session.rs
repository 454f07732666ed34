//! What one page shows: a replay or a running match, with its viewer and its verification.
//!
//! `exports` keeps the sessions, and calls them for the page's script. A replay is verified step by
//! step while it is shown, a live match as it arrives (`live::receiver`).

use agon_match::replay::{Replay, Verifier};
use agon_view::App;
use agon_view::paint::{Appearance, Frame};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::live::{LiveMatch, Orders, Receiver};
use crate::message::SHOWN;

/// The contents of a page: a replay, or a running match.
pub struct Session {
    /// The viewer; a live session has none until its match begins.
    app: Option<Box<dyn App>>,
    source: Source,
    /// Why not all of a replay is shown.
    damage: Option<String>,
    frame: Frame,
}

/// The source of a session.
enum Source {
    /// A replay. It has a verifier until everything is verified.
    File { verifier: Option<Box<Verifier>>, verified: VerifiedSoFar },
    /// A running match.
    Live(Box<Receiver>),
}

impl Session {
    /// Opens a replay from the bytes of its file, or a file of messages that show it.
    pub fn open(file: Vec<u8>, appearance: impl Into<Appearance>) -> Result<Session> {
        let appearance = appearance.into();
        if file.first() == Some(&SHOWN) {
            return Session::open_shown(&file, appearance);
        }
        let replay = Replay::open(file)?;
        let game = replay.game()?;
        let verifier = Some(Box::new(replay.verifier(game.kind())?));
        let app: Box<dyn App> = agon_view::open(&replay, appearance)?;
        let source = Source::File { verifier, verified: VerifiedSoFar::default() };
        let damage = replay.damage().map(|damage| damage.to_string());
        Ok(Session { app: Some(app), source, damage, frame: Frame::new(1, 1) })
    }

    fn open_shown(file: &[u8], appearance: Appearance) -> Result<Session> {
        let mut receiver = Box::new(Receiver::new(appearance, false));
        receiver.feed(file)?;
        let following = receiver.following.as_ref().context("the file ends too early")?;
        let replay = Replay::open(following.replay().map_err(anyhow::Error::msg)?)?;
        let app = following.viewer(appearance, false, agon_view::notes(&replay));
        let (shown, steps) = (following.steps, replay.steps());
        let cut = (shown < steps).then(|| format!("shown up to step {shown} of {steps} only"));
        let damage = replay.damage().map(|damage| damage.to_string()).or(cut);
        let source = Source::Live(receiver);
        Ok(Session { app: Some(app), source, damage, frame: Frame::new(1, 1) })
    }

    /// Starts a match without any state; [`feed`](Session::feed) adds messages.
    ///
    /// With `follow` the viewer stays at the newest state. Otherwise it plays from the start at its
    /// own speed.
    pub fn live(appearance: impl Into<Appearance>, follow: bool) -> Session {
        let source = Source::Live(Box::new(Receiver::new(appearance.into(), follow)));
        Session { app: None, source, damage: None, frame: Frame::new(1, 1) }
    }

    /// Takes messages of [`live`](crate::live) in chunks of any size.
    /// Fails if they do not fit together, or the match continues against the rules.
    ///
    /// # Panics
    /// If it is a replay.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<()> {
        let Source::Live(receiver) = &mut self.source else { panic!("only a live match is fed") };
        if let Some(app) = receiver.feed(bytes)? {
            self.app = Some(app);
        }
        Ok(())
    }

    /// The match that is followed, once it has begun.
    fn followed(&self) -> Option<&LiveMatch> {
        match &self.source {
            Source::Live(receiver) => receiver.following.as_ref(),
            Source::File { .. } => None,
        }
    }

    /// Takes what a worker of the page has verified, see [`carried`](crate::carried).
    pub fn prove(&mut self, proof: VerifiedSoFar) {
        if let Source::Live(receiver) = &mut self.source {
            let shown = receiver.following.as_mut().and_then(|following| following.shown.as_mut());
            shown.into_iter().for_each(|shown| shown.proof = Some(proof.clone()));
        }
    }

    /// Takes a person's orders to send to the arena.
    pub fn take_orders(&self) -> Option<Orders> {
        self.followed()?.take_orders()
    }

    /// Asks a person again, because their orders did not arrive, if the question still waits.
    pub fn ask_again(&self) {
        self.followed().into_iter().for_each(LiveMatch::ask_again);
    }

    /// Returns the viewer; `None` before a match begins.
    pub fn app(&mut self) -> Option<&mut (dyn App + 'static)> {
        self.app.as_deref_mut()
    }

    /// Makes the replay of a match that has been followed to its end.
    ///
    /// It has no faults and no output of bots, of which a page learns nothing.
    /// Fails if the match is not over, or cannot be written; the text is for people.
    pub fn replay(&self) -> Result<Vec<u8>, String> {
        match &self.source {
            Source::Live(_) => self.followed().ok_or("the match has not begun")?.replay(),
            Source::File { .. } => Err("the page has the file of this replay".to_owned()),
        }
    }

    /// Verifies one more step, and returns whether there is more to do now.
    pub fn verify(&mut self) -> bool {
        let Source::File { verifier, verified, .. } = &mut self.source else { return false };
        let Some(next) = verifier else { return false };
        let advanced = next.advance();
        verified.steps = next.good_steps;
        if let Ok(true) = advanced {
            return true;
        }
        verified.done = true;
        verified.problem = advanced.err().map(|error| error.to_string());
        *verifier = None;
        false
    }

    /// Paints the picture in this size; both at least 1.
    pub fn paint(&mut self, width: u32, height: u32) -> &Frame {
        self.frame.resize(width, height);
        if let Some(app) = &mut self.app {
            app.paint(&mut self.frame);
        }
        &self.frame
    }

    /// Returns the state for the page and its tests, as JSON: `docs/web.md` lists it.
    pub fn state(&self) -> serde_json::Value {
        let Some(app) = &self.app else { return json!({ "waiting": true }) };
        let (verified, question) = match &self.source {
            Source::File { verified, .. } => (Some(verified), None),
            Source::Live(receiver) => {
                let shown = self.followed().and_then(|following| following.shown.as_ref());
                let verified = shown.map_or(Some(&receiver.verified), |shown| shown.proof.as_ref());
                (verified, receiver.question.as_ref())
            }
        };
        json!({
            "shown": app.status(), "damage": self.damage, "verified": verified,
            "question": question
        })
    }
}

/// The verified part of a replay or a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifiedSoFar {
    /// The verified states, as steps from the start; they follow from the answers.
    pub steps: u64,
    /// Whether everything is verified.
    pub done: bool,
    /// The thing that does not follow, or cannot be read.
    pub problem: Option<String>,
}
