//! A match that pages follow while it is played.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use agon_core::{BotInfo, Game};
use agon_games::human::HumanInput;
use agon_page::dialogue::ToHost;
use agon_view::{Prompt, PromptQueue};
use agon_web::live;
use anyhow::{Context, Result, bail};

use super::{
    browser,
    orders::Taker,
    server::{Content, Line, Server},
    watch::{CHECK_INTERVAL, theme},
};
use crate::{
    arena::MatchEvent,
    cli::ViewArgs,
    interrupts::{interrupted, is_interrupted},
    output::tell,
};

/// So many bytes of messages are kept for pages that come late. A match that takes more begins anew
/// for all pages, as it is then.
const MAX_BYTES: usize = 64 << 20;

/// A match that pages follow.
#[derive(Debug)]
pub(crate) struct Live {
    server: Server,
    players: Vec<BotInfo>,
    /// Whether people play in the page.
    is_played: bool,
    kept: Mutex<Kept>,
    /// Whether people have been told that the page is lost.
    is_told: AtomicBool,
}

impl Live {
    /// Serves a page for a match that is about to be played, and says where. People who play answer
    /// `prompts` there instead of in a viewer on the screen.
    ///
    /// # Errors
    /// If the port is taken, or the program that serves pages is missing.
    pub(crate) fn serve<G: HumanInput>(
        players: Vec<BotInfo>,
        prompts: Option<&PromptQueue<G>>,
        args: &ViewArgs,
    ) -> Result<Live> {
        let content = Content { live: true, orders: prompts.map(Taker::at), ..Content::default() };
        let server = Server::start(content, args.web.port)?;
        if let Some(prompts) = prompts {
            let line = server.line().clone();
            prompts.listen(Box::new(move |open| ask(&line, open)));
        }
        // A match at full speed is over before anybody has seen it: it is shown from its start, as
        // a replay would be.
        let follow = if args.pace.is_some() { "&follow" } else { "" };
        let address = server.address(&format!("?live=live{follow}{}", theme(args.theme)));
        match prompts {
            None => say!("watch at {address}"),
            Some(_) => say!(
                "play at {address}\nthe match waits for orders from any page there; closing a page \
                 does not end it, Ctrl-C does"
            ),
        }
        if !args.web.no_open {
            browser::open(&address);
        }
        let kept = Mutex::default();
        let is_told = AtomicBool::new(false);
        Ok(Live { server, players, is_played: prompts.is_some(), kept, is_told })
    }

    /// Tells pages how the match has gone on. The first moment of a match begins it, again if it
    /// was void.
    ///
    /// # Errors
    /// If the match cannot be told, or people cannot play any more.
    pub(crate) fn see<G: Game>(&self, seen: &MatchEvent<'_, G>) -> Result<()> {
        let MatchEvent::State(moment) = seen else { return Ok(()) };
        if self.server.lost().is_some() {
            return self.do_without("the match goes on without a page");
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (what, message) = if kept.begins_anew(moment.step) {
            (ToHost::Begin, live::begin(moment.game, &self.players, moment.step)?)
        } else {
            (ToHost::GoOn, live::step::<G>(moment.led_by, moment.game))
        };
        kept.add(message.len());
        self.server.line().tell(&what, &message).context("cannot tell pages of the match")
    }

    /// Whether nobody can play any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_played && self.server.lost().is_some()
    }

    /// The match is over; pages can look at it until Ctrl-C.
    ///
    /// # Errors
    /// If it ended because people could not play any more.
    pub(crate) fn stay(self) -> Result<()> {
        if self.is_lost() && is_interrupted() {
            return self.do_without("");
        }
        // What it says when it is lost is said below.
        let _ = self.server.line().tell(&ToHost::End, &[]);
        let stop = interrupted();
        if !stop.load(Ordering::Relaxed) && self.server.lost().is_none() {
            say!("the match is over; the page stays until Ctrl-C, and the result comes then");
        }
        while !stop.load(Ordering::Relaxed) {
            if let Some(why) = self.server.lost() {
                self.note(&why, "the match is over, and its page is gone");
                break;
            }
            thread::sleep(CHECK_INTERVAL);
        }
        Ok(())
    }

    /// Goes on without a page.
    ///
    /// # Errors
    /// If people play in it.
    fn do_without(&self, consequence: &str) -> Result<()> {
        let why = self.server.lost().unwrap_or_default();
        if self.is_played {
            bail!("{why}; nobody can play without it");
        }
        self.note(&why, consequence);
        Ok(())
    }

    /// Says once what is lost.
    fn note(&self, why: &str, consequence: &str) {
        if !self.is_told.swap(true, Ordering::Relaxed) {
            tell(format!("note: {why}; {consequence}"));
        }
    }
}

/// How much of a match the pages' program keeps.
#[derive(Debug, Default)]
struct Kept {
    /// Bytes of messages since the match has begun there.
    bytes: usize,
}

impl Kept {
    /// Whether the match is to begin with the state after so many steps; what was kept is then
    /// forgotten.
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

/// A person is asked, or not any more.
fn ask<G: Game>(line: &Line, open: Option<(&Prompt<G>, Option<Duration>)>) {
    let told = open.map_or(ToHost::Close, |(question, limit)| {
        let left_ms = limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        let Prompt { number, step, player, .. } = *question;
        ToHost::Ask(live::Question { question: number, step, player: player.0, left_ms })
    });
    // Questions are short; that the program is lost is noticed elsewhere.
    let _ = line.tell(&told, &[]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_that_is_too_long_begins_anew() {
        let mut kept = Kept::default();
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
