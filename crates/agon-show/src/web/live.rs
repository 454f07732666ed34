//! A match that pages follow while it is played, for `agon play --view web`.
//!
//! [`Live`] is an observer of the match. It starts the server, and sends it each step and each
//! question to a person.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use agon_core::Game;
use agon_games::human::HumanInput;
use agon_match::{Control, MatchEvent, Observer, ObserverError};
use agon_view::{Prompt, PromptQueue};
use agon_web::page::dialogue::ToHost;
use agon_web::{bundle, live};
use anyhow::{Context, Result, bail};

use super::{
    browser,
    orders::OrdersReceiver,
    server::{Content, HostConnection, Server},
    watch::{CHECK_INTERVAL, theme_query},
};
use crate::{Environment, ViewOptions};

/// The time in which pages hear that the match has been interrupted, before the arena ends.
const FAREWELL: Duration = Duration::from_millis(250);

/// The most bytes of messages that are kept for late pages.
///
/// A longer match begins again for all pages, with its current state.
const MAX_BYTES: usize = 64 << 20;

/// A match that pages follow.
#[derive(Debug)]
pub(crate) struct Live<'a> {
    server: Arc<Server>,
    /// Whether people play in the page.
    is_played: bool,
    kept: KeptBytes,
    /// Whether people already know that the page is lost.
    is_told: AtomicBool,
    environment: Environment<'a>,
}

impl<'a> Live<'a> {
    /// Serves a page for a match that is about to be played, and prints its address.
    ///
    /// People who play answer `prompts` there instead of in a viewer on the screen.
    ///
    /// # Errors
    /// If the port is taken, or the program that serves pages is missing.
    pub(crate) fn serve<G: HumanInput>(
        prompts: Option<&PromptQueue<G>>,
        options: &ViewOptions,
        environment: Environment<'a>,
    ) -> Result<Live<'a>> {
        if let Some(remedy) = bundle::remedy_without(G::META.id) {
            environment.say(format!("note: {remedy}"));
        }
        let content = Content {
            live: true,
            orders: prompts.map(OrdersReceiver::for_queue),
            rematch: environment.rematch(),
            ..Content::default()
        };
        let server = Arc::new(Server::start(content, options.web.port, environment.tell)?);
        if let Some(prompts) = prompts {
            let connection = server.connection().clone();
            prompts.listen(Box::new(move |open| ask(&connection, open)));
        }
        // A match at full speed is over before anybody has seen it, so the page shows it from its
        // start.
        let follow = if options.pace.is_some() { "&follow" } else { "" };
        let rematch = if environment.another.is_some() { "&rematch" } else { "" };
        if let Some(another) = environment.another {
            another.set_port(server.port());
        }
        let address = server.address(&format!(
            "?live=live{follow}{rematch}{}",
            theme_query(options.theme, options.patterns)
        ));
        match prompts {
            None => environment.say(format!("watch at {address}")),
            Some(_) => environment.say(format!(
                "play at {address}\nthe match waits for orders from any page there; closing a page \
                 does not end it, Ctrl-C does"
            )),
        }
        if !options.web.no_open {
            browser::open(&address);
        }
        let kept = KeptBytes::default();
        let is_told = AtomicBool::new(false);
        Ok(Live { server, is_played: prompts.is_some(), kept, is_told, environment })
    }

    /// Returns a function that checks whether people cannot play any more.
    pub(crate) fn loss_check(&self) -> impl Fn() -> bool + Sync + use<> {
        let server = Arc::clone(&self.server);
        let is_played = self.is_played;
        move || is_played && server.lost().is_some()
    }

    /// Serves the finished match until Ctrl-C, or until a page asks for another one.
    ///
    /// # Errors
    /// If it ended because people could not play any more.
    pub(crate) fn serve_until_interrupted(self) -> Result<()> {
        if self.loss_check()() && self.environment.is_interrupted() {
            return self.continue_without_page("");
        }
        // If the page is lost, the reason is printed below.
        let _ = self.server.connection().tell(&ToHost::End, &[]);
        if !self.environment.is_interrupted() && self.server.lost().is_none() {
            let text = "the match is over; the page stays until Ctrl-C, and the result comes then";
            self.environment.say(text);
        }
        if self.environment.is_interrupted() {
            // Pages need some time to receive the end before the arena exits.
            thread::sleep(FAREWELL);
        }
        let is_asked_for =
            || self.environment.another.is_some_and(|another| another.wish.is_asked_for());
        while !self.environment.is_interrupted() && !is_asked_for() {
            if let Some(why) = self.server.lost() {
                self.note(&why, "the match is over, and its page is gone");
                break;
            }
            thread::sleep(CHECK_INTERVAL);
        }
        Ok(())
    }

    /// Continues without a page.
    ///
    /// # Errors
    /// If people play in it.
    fn continue_without_page(&self, consequence: &str) -> Result<()> {
        let why = self.server.lost().unwrap_or_default();
        if self.is_played {
            bail!("{why}; nobody can play without it");
        }
        self.note(&why, consequence);
        Ok(())
    }

    /// Prints once that the page is lost.
    fn note(&self, why: &str, consequence: &str) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            self.environment.say(format!("note: {why}; {consequence}"));
        }
    }
}

impl<G: Game> Observer<G> for Live<'_> {
    /// Sends pages the next step. The first state begins the match, again if it was void.
    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        if self.server.lost().is_some() {
            self.continue_without_page("the match goes on without a page")?;
            return Ok(Control::Continue);
        }
        let (what, message) = if self.kept.begins_anew(event.step) {
            (ToHost::Begin, live::begin(event.game, event.players, event.step)?)
        } else {
            (ToHost::GoOn, live::step::<G>(event.led_by, event.game))
        };
        self.kept.add(message.len());
        self.server.connection().tell(&what, &message).context("cannot tell pages of the match")?;
        Ok(Control::Continue)
    }
}

/// The amount of a match that the server of pages keeps.
#[derive(Debug, Default)]
struct KeptBytes {
    /// Bytes of messages since the last beginning.
    bytes: usize,
}

impl KeptBytes {
    /// Returns whether the match begins for pages with the state after `step` steps.
    ///
    /// If so, forgets everything before.
    fn begins_anew(&mut self, step: u64) -> bool {
        let anew = step == 0 || self.bytes > MAX_BYTES;
        if anew {
            self.bytes = 0;
        }
        anew
    }

    fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
    }
}

/// Sends pages the question that waits, or that none waits any more.
fn ask<G: Game>(connection: &HostConnection, open: Option<(&Prompt<G>, Option<Duration>)>) {
    let told = open.map_or(ToHost::Close, |(question, limit)| {
        let left_ms = limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        let Prompt { number, step, player, .. } = *question;
        ToHost::Ask(live::Question { question: number, step, player: player.0, left_ms })
    });
    // The loss of the server is noticed elsewhere.
    let _ = connection.tell(&told, &[]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_that_is_too_long_begins_anew() {
        let mut kept = KeptBytes::default();
        assert!(kept.begins_anew(0));
        kept.add(MAX_BYTES);
        assert!(!kept.begins_anew(1));
        kept.add(1);
        assert!(kept.begins_anew(2));
        kept.add(100);
        assert!(!kept.begins_anew(3));
        // A void match is played again.
        assert!(kept.begins_anew(0));
    }
}
