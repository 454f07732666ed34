//! A match that pages follow while it is played, for `agon play --view web`.
//!
//! [`Live`] is an observer of the match. It starts the server, and sends it each step and each
//! question to a person. A page sends back gestures. They are replayed here by the rules, so that
//! no page can order anything that a person at a window could not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::{thread, time::Duration};

use agon_core::Decision;
use agon_games::any::{AnswersMut, AnyGame};
use agon_games::human::{Gesture, Reaction};
use agon_match::{Control, MatchEvent, Observer, ObserverError};
use agon_view::{Prompt, PromptQueue};
use agon_web::bundle;
use agon_web::dialogue::{ToHost, Verdict};
use agon_web::live::{self, Orders};
use anyhow::{Context, Result, bail};

use super::server::{
    CHECK_INTERVAL, Content, HostConnection, OrdersReceiver, Server, open_browser, theme_query,
};
use crate::{Environment, ViewOptions};

/// The time in which pages hear that the match has been interrupted, before the arena ends.
const FAREWELL: Duration = Duration::from_millis(250);

/// The most bytes of messages that are kept for late pages.
///
/// A longer match begins again for all pages, with its current state.
const MAX_BYTES: usize = 64 << 20;

/// A match that pages follow.
pub(crate) struct Live<'a> {
    server: Arc<Server>,
    /// Whether people play in the page.
    is_played: bool,
    /// Whether pages know the game. Otherwise they are sent what is to be seen.
    is_known: bool,
    /// Bytes of messages since the last beginning.
    kept_bytes: usize,
    /// Whether people already know that the page is lost.
    is_told: AtomicBool,
    environment: Environment<'a>,
}

impl<'a> Live<'a> {
    /// Serves a page for a match that is about to be played, and prints its address.
    ///
    /// People who play answer `prompts` there instead of in a viewer on the screen.
    pub(crate) fn serve(
        start: &AnyGame,
        prompts: Option<&PromptQueue>,
        options: &ViewOptions,
        environment: Environment<'a>,
    ) -> Result<Live<'a>> {
        let is_known = bundle::knows(start.meta().id);
        let connected = Arc::new(OnceLock::new());
        let hinted = (!is_known).then(|| Arc::clone(&connected));
        let content = Content {
            live: true,
            orders: prompts.map(|prompts| receiver_for(prompts, hinted)),
            rematch: environment.rematch(),
            ..Content::default()
        };
        let server = Arc::new(Server::start(content, options.web.port, environment.tell)?);
        if let Some(prompts) = prompts {
            let connection = connected.get_or_init(|| server.connection.clone()).clone();
            prompts.listen(Box::new(move |open| ask(&connection, open, is_known)));
        }
        // A match at full speed is over before anybody has seen it, so the page shows it from its
        // start.
        let follow = if options.pace.is_some() { "&follow" } else { "" };
        let rematch = if environment.another.is_some() { "&rematch" } else { "" };
        if let Some(another) = environment.another {
            another.set_port(server.port);
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
            open_browser(&address);
        }
        let is_told = AtomicBool::new(false);
        let is_played = prompts.is_some();
        Ok(Live { server, is_played, is_known, kept_bytes: 0, is_told, environment })
    }

    /// Returns a function that checks whether people cannot play any more.
    pub(crate) fn loss_check(&self) -> impl Fn() -> bool + Sync + use<> {
        let server = Arc::clone(&self.server);
        let is_played = self.is_played;
        move || is_played && server.lost().is_some()
    }

    /// Serves the finished match until Ctrl-C, or until a page asks for another one.
    /// Fails if it ended because people could not play any more.
    pub(crate) fn serve_until_interrupted(self) -> Result<()> {
        if self.loss_check()() && (self.environment.is_interrupted)() {
            return self.continue_without_page("");
        }
        // If the page is lost, the reason is printed below.
        let _ = self.server.connection.tell(&ToHost::End, &[]);
        if !(self.environment.is_interrupted)() && self.server.lost().is_none() {
            let text = "the match is over; the page stays until Ctrl-C, and the result comes then";
            self.environment.say(text);
        }
        if (self.environment.is_interrupted)() {
            // Pages need some time to receive the end before the arena exits.
            thread::sleep(FAREWELL);
        }
        let is_asked_for =
            || self.environment.another.is_some_and(|another| another.wish.is_asked_for());
        while !(self.environment.is_interrupted)() && !is_asked_for() {
            if let Some(why) = self.server.lost() {
                self.note(&why, "the match is over, and its page is gone");
                break;
            }
            thread::sleep(CHECK_INTERVAL);
        }
        Ok(())
    }

    /// Continues without a page.
    /// Fails if people play in it.
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

impl Observer for Live<'_> {
    /// Sends pages the next step. The first state begins the match, again if it was void.
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        if self.server.lost().is_some() {
            self.continue_without_page("the match goes on without a page")?;
            return Ok(Control::Continue);
        }
        let MatchEvent { game, players, led_by, .. } = *event;
        let begins = begins_anew(&mut self.kept_bytes, event.step);
        let message = match (begins, self.is_known) {
            (true, true) => live::begin(game, players, event.step)?,
            (true, false) => live::begin_shown(game, players, event.step),
            (false, true) => live::step(led_by, game),
            (false, false) => live::step_shown(led_by, game, players),
        };
        let what = if begins { ToHost::Begin } else { ToHost::GoOn };
        self.kept_bytes += message.len();
        self.server.connection.tell(&what, &message).context("cannot tell pages of the match")?;
        Ok(Control::Continue)
    }
}

/// Returns whether the match begins for pages with the state after `step` steps.
///
/// If so, the server forgets the bytes of messages that it has kept, which are counted here.
fn begins_anew(kept_bytes: &mut usize, step: u64) -> bool {
    let anew = step == 0 || *kept_bytes > MAX_BYTES;
    if anew {
        *kept_bytes = 0;
    }
    anew
}

/// Sends pages the question that waits, or that none waits any more.
fn ask(connection: &HostConnection, open: Option<(&Prompt, Option<Duration>)>, is_known: bool) {
    let told = open.map_or(ToHost::Close, |(question, limit)| {
        let left_ms = limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        let Prompt { number, step, player, .. } = *question;
        ToHost::Ask(live::Question { question: number, step, player: player.0, left_ms })
    });
    // The loss of the server is noticed elsewhere.
    let _ = connection.tell(&told, &[]);
    if let Some((Prompt { game, player, .. }, _)) = open.filter(|_| !is_known) {
        hint(connection, &live::hints(&[], &game.hints(&game.orders(*player))));
    }
}

/// Sends pages what they show for the question, because they do not know the game.
fn hint(connection: &HostConnection, message: &[u8]) {
    let _ = connection.tell(&ToHost::Hints, message);
}

/// Makes one that gives orders to this queue. Pages that do not know the game get hints.
fn receiver_for(
    prompts: &PromptQueue,
    hinted: Option<Arc<OnceLock<HostConnection>>>,
) -> OrdersReceiver {
    let prompts = prompts.clone();
    let show = move |message: &[u8]| {
        hinted.iter().filter_map(|pages| pages.get()).for_each(|pages| hint(pages, message));
        hinted.is_some()
    };
    Arc::new(move |sent: &[u8]| match serde_json::from_slice(sent) {
        Ok(orders) => take(&prompts, &orders, &show),
        Err(error) => Verdict::NoOrders(format!("the orders cannot be read: {error}")),
    })
}

/// Composes the orders from a person's gestures, and gives them to the match.
///
/// Refuses them if the question does not wait any more, or the gestures are invalid, or give no
/// orders and `show` does not let the person continue with hints.
fn take(prompts: &PromptQueue, sent: &Orders, show: &dyn Fn(&[u8]) -> bool) -> Verdict {
    let Some(question) = prompts.question().filter(|open| open.number == sent.question) else {
        return Verdict::Outdated;
    };
    let refused = |why: &str| Verdict::NoOrders(why.to_owned());
    let scene = question.game.scene_for(question.player).expect("it is asked in its match");
    let places = scene.board.places();
    let is_off = |act: &Gesture| matches!(act, Gesture::Pick(place) if *place as usize >= places);
    if sent.acts.iter().any(is_off) {
        return refused("a place is picked that is not on the board");
    }
    let mut orders = question.game.orders(question.player);
    let mut last = Reaction::Ignored;
    for &act in &sent.acts {
        if last == Reaction::Submitted {
            return refused("there are acts after the one that gives the orders");
        }
        last = question.game.act(&mut orders, act);
    }
    if last != Reaction::Submitted {
        let mut hints = question.game.hints(&orders);
        if let Reaction::Refused(why) = last {
            hints.message = why;
        }
        return match show(&live::hints(&sent.acts, &hints)) {
            true => Verdict::Taken,
            false => refused("the last act does not give the orders"),
        };
    }
    let carry_out = Box::new(move |game: &AnyGame, decision: Decision, answer: AnswersMut<'_>| {
        game.carry_out(&orders, decision, answer)
    });
    let acts = sent.acts.clone();
    if prompts.give(question.number, acts, carry_out) { Verdict::Taken } else { Verdict::Outdated }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game as _, Player, Seed};
    use agon_games::GameId;
    use agon_games::any::AnyAnswers;
    use agon_games::cluster::{Answer, Cluster, Rules};
    use agon_games::human::{ArrowKey, PromptOutcome, Prompter as _};

    use super::*;

    #[test]
    fn a_match_that_is_too_long_begins_anew() {
        let mut kept = 0;
        assert!(begins_anew(&mut kept, 0));
        kept += MAX_BYTES;
        assert!(!begins_anew(&mut kept, 1));
        kept += 1;
        assert!(begins_anew(&mut kept, 2));
        assert!(!begins_anew(&mut kept, 3));
        // A void match is played again.
        assert!(begins_anew(&mut kept, 0));
    }

    /// Returns a queue in which the first player is asked, in question 1.
    fn asked(game: &AnyGame) -> PromptQueue {
        let prompts = PromptQueue::default();
        let player = Player(0);
        let is_own = |decision: &Decision| decision.player == player;
        let decisions = game.decisions().iter().copied().filter(is_own).collect();
        prompts.open(Prompt { number: 1, game: game.clone(), step: 0, player, decisions });
        prompts
    }

    #[test]
    fn orders_are_what_the_acts_say_and_count_once() {
        let rules = Rules { side: 4, ..Rules::default() };
        let mut games = (0..).map(|seed| Cluster::new(&rules, 2, Seed(seed)).unwrap());
        let game = AnyGame::of(games.find(|game| game.hand() == [0, 2]).unwrap());
        let prompts = asked(&game);
        let drop = [Gesture::Type('2'), Gesture::Go(ArrowKey::Right), Gesture::Confirm];
        let early = [drop[0], drop[2], drop[1]];
        let orders = |acts: &[Gesture]| Orders { question: 1, acts: acts.to_vec() };
        let take = |acts: &[Gesture]| take(&prompts, &orders(acts), &|_| false);
        for acts in [&drop[..0], &drop[..2], &early, &[Gesture::Pick(9999), Gesture::Confirm]] {
            assert!(matches!(take(acts), Verdict::NoOrders(_)), "{acts:?}");
        }
        assert_eq!([take(&drop), take(&drop)], [Verdict::Taken, Verdict::Outdated]);
        // They hold for the whole turn.
        let outcome = prompts.ask(&game, 0, Player(0), game.decisions(), None);
        let expected = AnyAnswers::of::<Cluster>(vec![Answer::Place { column: 4, color: 2 }]);
        assert_eq!(outcome, PromptOutcome::Answers(expected));
    }

    /// No gestures from a page can stop the arena.
    #[test]
    fn any_acts_in_any_game_are_taken_or_refused() {
        for id in GameId::OWN {
            let kind = id.kind();
            let players = kind.meta().min_players.max(2);
            let game = kind.start(&kind.default_rules(), players, Seed(5)).unwrap();
            let places = game.scene_for(Player(0)).unwrap().board.places() as u32;
            let all = "rwdmsefhnxp*.0123456789".chars().map(Gesture::Type);
            let ways = ArrowKey::ALL.map(Gesture::Go);
            let others = [
                Gesture::Undo,
                Gesture::Cancel,
                Gesture::Confirm,
                Gesture::Pick(0),
                Gesture::Pick(places - 1),
            ];
            let acts: Vec<Gesture> = all.chain(ways).chain(others).collect();
            let mut state = 1_u64;
            let mut next = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as usize % below
            };
            let is_taken = |acts: Vec<Gesture>| {
                let orders = Orders { question: 1, acts };
                take(&asked(&game), &orders, &|_| false) == Verdict::Taken
            };
            let mut taken = acts.iter().filter(|&&act| is_taken(vec![act])).count();
            for _ in 0..40 {
                let mut sent: Vec<Gesture> =
                    (0..next(30)).map(|_| acts[next(acts.len())]).collect();
                sent.push(Gesture::Confirm);
                taken += usize::from(is_taken(sent));
            }
            assert!(taken > 0, "{id}");
        }
    }
}
