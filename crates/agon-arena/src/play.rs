//! Plays one match: opens its bots, plays it again while it is void, writes its replay.
//!
//! `agon play`, `agon check` and the workers of a pool all play matches with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{io::BufWriter, path::PathBuf, sync::Arc};

use agon_bots::{Bot, BotSpec, HostOptions, HostedGame, OpenError, clojure::Jvms};
use agon_core::{BotInfo, Game, Player, Seed};
use agon_games::for_each_game;
use agon_match::{
    Control, Match, MatchError, MatchEvent, MatchOptions, Observer, ObserverError, Played, Suspect,
    Void, Waiting,
};

use crate::{ArenaError, BotEntry, Opener};

/// A match, with all that is needed to play it.
#[derive(Debug)]
pub struct MatchSetup<'a, G: HostedGame> {
    /// The settings of the game.
    pub rules: &'a G::Rules,
    /// The seed.
    pub seed: Seed,
    /// Who plays, in order of player number, with different names.
    pub bots: &'a [Arc<BotEntry>],
    /// How bots are run.
    pub host: &'a HostOptions,
    /// How the match is played.
    pub options: MatchOptions,
    /// The most attempts if the match is void again and again; at least 1.
    pub attempts: usize,
    /// Where the replay goes.
    pub replay: ReplayTarget,
    /// Once it is set, the match ends as interrupted.
    pub stop: &'a AtomicBool,
}

/// Where the replay of a match goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReplayTarget {
    /// There is none.
    #[default]
    None,
    /// To [`PlayedMatch::replay`].
    Memory,
    /// To a file.
    File(PathBuf),
}

/// A match that has been played.
#[derive(Clone, Debug)]
pub struct PlayedMatch<G: HostedGame> {
    /// The last attempt. Void if all attempts were.
    pub played: Played<G>,
    /// The replay, if it was to be kept in memory.
    pub replay: Option<Vec<u8>>,
    /// Why earlier attempts were void.
    pub void: Vec<Void>,
    /// How long the last attempt took with the start of its bots.
    pub time: Duration,
}

/// See [`MatchSetup::play`].
pub(crate) fn play_setup<G: HostedGame>(
    setup: &MatchSetup<'_, G>,
    opener: &mut dyn Opener<G>,
    observer: &mut dyn Observer<G>,
) -> Result<PlayedMatch<G>, ArenaError> {
    let mut void = Vec::new();
    let mut late_alone: Vec<Option<Player>> = Vec::new();
    loop {
        let begun = Instant::now();
        let options = MatchOptions { suspect: suspect(&late_alone), ..setup.options.clone() };
        let (played, replay) = play_once(setup, options, opener, observer)?;
        let time = begun.elapsed();
        let is_last = void.len() + 1 >= setup.attempts || setup.stop.load(Ordering::Relaxed);
        match played.result.void {
            Some(why) if !is_last => {
                void.push(why);
                late_alone.push(played.late_alone);
                observer.void(&played, void.len() as u32).map_err(MatchError::Observer)?;
            }
            _ => {
                observer.end(&played).map_err(MatchError::Observer)?;
                return Ok(PlayedMatch { played, replay, void, time });
            }
        }
    }
}

fn play_once<G: HostedGame>(
    setup: &MatchSetup<'_, G>,
    options: MatchOptions,
    opener: &mut dyn Opener<G>,
    observer: &mut dyn Observer<G>,
) -> Result<(Played<G>, Option<Vec<u8>>), ArenaError> {
    // Comes before bots are opened, which may take a while.
    let game = G::new(setup.rules, setup.bots.len(), setup.seed)?;
    // Matches do not share JVMs.
    let host = HostOptions { jvms: Jvms::default(), core: options.core, ..setup.host.clone() };
    host.jvms.expect(setup.bots.iter().map(|bot| &bot.spec));
    let seats: Vec<_> = setup
        .bots
        .iter()
        .enumerate()
        .map(|(number, bot)| seat(opener, number, bot, &host))
        .collect::<Result<_, _>>()?;
    let the_match = Match::new(game, seats, options)?;
    let at_once = setup.host.stop.as_deref();
    play_match(the_match, &setup.replay, setup.stop, at_once, observer)
}

/// See [`ArenaGame::play_opened`](crate::ArenaGame::play_opened).
///
/// With `stop` the match ends after its step, with `at_once` even while it waits for bots.
pub(crate) fn play_match<G: Game>(
    the_match: Match<G>,
    replay: &ReplayTarget,
    stop: &AtomicBool,
    at_once: Option<&AtomicBool>,
    observer: &mut dyn Observer<G>,
) -> Result<(Played<G>, Option<Vec<u8>>), ArenaError> {
    let observer = &mut Stoppable { observer, stop, at_once };
    let mut bytes = Vec::new();
    let result = match replay {
        ReplayTarget::None => the_match.run(observer),
        ReplayTarget::Memory => the_match.record(&mut bytes, observer).map(|(played, _)| played),
        ReplayTarget::File(path) => {
            let out = BufWriter::new(agon_files::create(path)?);
            the_match.record(out, observer).map(|(played, _)| played)
        }
    };
    let bytes = (*replay == ReplayTarget::Memory).then_some(bytes);
    match (result, replay) {
        (Ok(played), _) => Ok((played, bytes)),
        (Err(error @ MatchError::Panic(_)), ReplayTarget::File(path)) => {
            let message = format!("{error}; {} has the steps before it", path.display());
            Err(ArenaError::Panic { message, replay: None })
        }
        (Err(error @ MatchError::Panic(_)), _) => {
            Err(ArenaError::Panic { message: error.to_string(), replay: bytes })
        }
        (Err(source @ MatchError::Replay(_)), ReplayTarget::File(path)) => {
            Err(ArenaError::Record { path: path.display().to_string(), source })
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// Opens the bot of a seat.
fn seat<G: HostedGame>(
    opener: &mut dyn Opener<G>,
    number: usize,
    bot: &BotEntry,
    host: &HostOptions,
) -> Result<(BotInfo, Box<dyn Bot<G>>), ArenaError> {
    let opened = opener.open(number, bot, host);
    let name = || bot.info.name.clone();
    let opened = opened.map_err(|source| ArenaError::Open { name: name(), source })?;
    let info = BotInfo { version: bot.spec.version::<G>(), ..bot.info.clone() };
    Ok((info, opened))
}

/// An observer that also ends the match once a flag is set.
struct Stoppable<'a, G: Game> {
    observer: &'a mut dyn Observer<G>,
    /// Ends it after a step.
    stop: &'a AtomicBool,
    /// Ends it even while it waits for bots.
    at_once: Option<&'a AtomicBool>,
}

impl<G: Game> Stoppable<'_, G> {
    fn or_stop(&self, control: Result<Control, ObserverError>) -> Result<Control, ObserverError> {
        if self.stop.load(Ordering::Relaxed) { control.map(|_| Control::Stop) } else { control }
    }
}

impl<G: Game> Observer<G> for Stoppable<'_, G> {
    fn begin(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        let control = self.observer.begin(event);
        self.or_stop(control)
    }

    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        let control = self.observer.step(event);
        self.or_stop(control)
    }

    fn waiting(&mut self, waiting: &Waiting) {
        self.observer.waiting(waiting);
    }

    fn keeps_waiting(&self) -> bool {
        !self.at_once.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Returns the bot that alone was late in all earlier attempts, once they are enough.
///
/// Otherwise a bot that finds a way to make the arena stand still could undo a match for ever.
pub(crate) fn suspect(late_alone: &[Option<Player>]) -> Option<Suspect> {
    let player = (*late_alone.last()?)?;
    let attempts = late_alone.iter().rev().take_while(|late| **late == Some(player)).count();
    (attempts >= Suspect::ATTEMPTS).then_some(Suspect { player, attempts })
}

/// A game of [`GameId`](agon_games::GameId), for generic code that plays matches.
pub trait ArenaGame: HostedGame {
    /// Opens a bot in its host, as [`agon_bots::open`] does.
    fn open_bot(spec: &BotSpec, host: &HostOptions) -> Result<Box<dyn Bot<Self>>, OpenError>;

    /// Does the work of [`MatchSetup::play`].
    fn play_setup(
        setup: &MatchSetup<'_, Self>,
        opener: &mut dyn Opener<Self>,
        observer: &mut dyn Observer<Self>,
    ) -> Result<PlayedMatch<Self>, ArenaError>;

    /// Plays a match whose bots are open, until its end or until `stop` is set, and writes its
    /// replay. Returns the replay if it was to be kept in memory.
    fn play_opened(
        the_match: Match<Self>,
        replay: &ReplayTarget,
        stop: &AtomicBool,
        observer: &mut dyn Observer<Self>,
    ) -> Result<(Played<Self>, Option<Vec<u8>>), ArenaError>;
}

impl<G: ArenaGame> MatchSetup<'_, G> {
    /// Plays the match, and again while it is void. Each attempt opens the bots again.
    pub fn play(
        &self,
        opener: &mut dyn Opener<G>,
        observer: &mut dyn Observer<G>,
    ) -> Result<PlayedMatch<G>, ArenaError> {
        G::play_setup(self, opener, observer)
    }
}

macro_rules! compile_here {
    ({} $($game:ident => pub mod $module:ident;)*) => {
        $(
            impl ArenaGame for agon_games::$module::$game {
                fn open_bot(
                    spec: &BotSpec,
                    host: &HostOptions,
                ) -> Result<Box<dyn Bot<Self>>, OpenError> {
                    agon_bots::open(spec, host)
                }

                fn play_setup(
                    setup: &MatchSetup<'_, Self>,
                    opener: &mut dyn Opener<Self>,
                    observer: &mut dyn Observer<Self>,
                ) -> Result<PlayedMatch<Self>, ArenaError> {
                    play_setup(setup, opener, observer)
                }

                fn play_opened(
                    the_match: Match<Self>,
                    replay: &ReplayTarget,
                    stop: &AtomicBool,
                    observer: &mut dyn Observer<Self>,
                ) -> Result<(Played<Self>, Option<Vec<u8>>), ArenaError> {
                    play_match(the_match, replay, stop, None, observer)
                }
            }
        )*
    };
}

for_each_game! { [compile_here] }

#[cfg(test)]
mod tests {
    use agon_bots::{BatchPart, Progress};
    use agon_core::Fault;
    use agon_match::replay::Replay;
    use agon_testkit::broken::{Broken, BrokenRules, Defect};
    use agon_testkit::toy::ToyAnswer;

    use super::*;

    /// A bot that gives the default answer in step 2.
    struct Forgetful;

    impl Bot<Broken> for Forgetful {
        fn ask(&mut self, _: BatchPart<'_, Broken>, _: &mut Vec<Fault>) {}

        fn collect(
            &mut self,
            part: BatchPart<'_, Broken>,
            answers: &mut [ToyAnswer],
            _: &mut Vec<Fault>,
        ) -> Progress {
            answers.fill(ToyAnswer(u8::from(part.step != 2)));
            Progress::Done
        }
    }

    fn panic(target: &ReplayTarget) -> (String, Option<Vec<u8>>) {
        let bots = ["tom", "amy"].map(|name| {
            let bot: Box<dyn Bot<Broken>> = Box::new(Forgetful);
            (BotInfo::new(name, "builtin"), bot)
        });
        // It panics at the default answer.
        let rules = BrokenRules { defect: Defect::RefusesFaults, ..BrokenRules::default() };
        let game = Broken::new(&rules, 2, Seed(5)).unwrap();
        let the_match = Match::new(game, bots.into(), MatchOptions::default()).unwrap();
        let stop = AtomicBool::new(false);
        match play_match(the_match, target, &stop, None, &mut ()) {
            Err(ArenaError::Panic { message, replay }) => (message, replay),
            _ => panic!("no panic"),
        }
    }

    #[test]
    fn a_panic_of_the_rules_names_its_match_and_leaves_the_steps_before_it() {
        let (message, replay) = panic(&ReplayTarget::Memory);
        let begin = "a match of tom and amy on seed 5 panicked in step 2 of toy: ";
        assert!(message.starts_with(begin), "{message}");
        assert_eq!(panic(&ReplayTarget::None).0, message);
        assert_eq!(Replay::open(replay.unwrap()).unwrap().steps(), 2);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.agon");
        let (message, _) = panic(&ReplayTarget::File(path.clone()));
        assert!(message.ends_with("night.agon has the steps before it"), "{message}");
        assert_eq!(Replay::open(std::fs::read(path).unwrap()).unwrap().steps(), 2);
    }

    #[test]
    fn who_alone_was_late_again_and_again_is_suspect() {
        let suspect = |late: &[i32]| {
            let late: Vec<_> =
                late.iter().map(|&player| u16::try_from(player).ok().map(Player)).collect();
            suspect(&late).map(|suspect| (suspect.player.0, suspect.attempts))
        };
        assert_eq!([suspect(&[]), suspect(&[1]), suspect(&[1, 0])], [None; 3]);
        assert_eq!([suspect(&[-1, -1]), suspect(&[1, 1, -1]), suspect(&[1, -1, 1])], [None; 3]);
        assert_eq!(suspect(&[1, 1]), Some((1, 2)));
        assert_eq!(suspect(&[-1, 0, 1, 1, 1]), Some((1, 3)));
    }
}
